import { documentOf, type HostileCase } from '../hostile-case.ts';

const bodyOf = (answers: readonly { readonly body: string | Buffer }[]): string => String(answers[0]?.body);

/** Pages that attack the parsers of the service, and readers of the result. */
export const READING_CASES: readonly HostileCase[] = [
  {
    id: 'M01',
    title: 'markdown of a page whose copy would load or run forbidden resources',
    isCore: true,
    pages: ({ canary }) => ({
      '': documentOf(
        `<template><img src="${canary}t.png"></template><div hidden><img loading="lazy" src="${canary}i.png" srcset="${canary}s.png 2x"></div>
         <x-y></x-y><script>customElements.define('x-y', class extends HTMLElement { constructor() { super(); this.dataset.made = Number(this.dataset.made ?? 0) + 1; } });</script>
         <a href="&#1;java&#9;script:alert(1)" onclick="alert(1)">one</a><a href="vbscript:x">two</a><a href="data:text/html,x">three</a>`,
      ),
    }),
    requests: ({ site }) => [{ url: site, format: 'markdown', main_content: false }],
    outcomes: ['200'],
    blocked: 'any',
    verify: ({ answers }) => {
      if (bodyOf(answers) !== 'onetwothree\n') throw new Error(`not as text: ${bodyOf(answers)}`);
    },
  },
  {
    id: 'M02',
    title: 'markdown of white space that is slow to scan',
    pages: () => ({
      '': documentOf(
        '<p>before</p><pre id="pre"></pre><p>after</p><script>pre.textContent = "a" + " ".repeat(2_000_000) + "b"</script>',
      ),
    }),
    requests: ({ site }) => [{ url: site, format: 'markdown', main_content: false }],
    outcomes: ['200'],
    withinMs: 80_000,
    verify: ({ answers }) => {
      if (!/before[^]*after/.test(bodyOf(answers))) throw new Error('the text is not there');
    },
  },
];
