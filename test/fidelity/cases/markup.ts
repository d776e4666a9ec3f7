import { equal, ok } from 'node:assert/strict';
import { expectCaptured } from '../expect.ts';
import type { FidelityCase, TimedAnswer } from '../fidelity-case.ts';
import { MARKUP } from '../pages/documents.ts';

const REQUEST = { page: '/fidelity/markup', format: 'html' } as const;

const markupOf = (answer: TimedAnswer): string => {
  expectCaptured(answer);
  return answer.body.toString('utf8');
};

/** Documents as html. */
export const MARKUP_CASES: readonly FidelityCase[] = [
  {
    id: 'html.doctype',
    title: 'The doctype is unchanged',
    request: REQUEST,
    check: (answer) => {
      equal(markupOf(answer).slice(0, MARKUP.doctype.length), MARKUP.doctype);
    },
  },
  {
    id: 'html.rendered',
    title: 'The markup contains elements that scripts created',
    request: REQUEST,
    check: (answer) => {
      ok(markupOf(answer).includes(`<div id="place">${MARKUP.made}</div>`));
    },
  },
  {
    id: 'html.frames',
    title: 'The address and content of a frame are unchanged',
    request: REQUEST,
    check: (answer) => {
      ok(markupOf(answer).includes(MARKUP.frame));
    },
  },
  {
    id: 'html.element',
    title: 'selector gives the outer HTML of one element',
    request: { ...REQUEST, selector: '#made' },
    check: (answer) => {
      equal(markupOf(answer), MARKUP.made);
    },
  },
  {
    id: 'html.charset',
    title: 'The markup is UTF-8 and declares it, for a page in any encoding',
    request: { page: '/fidelity/latin1', format: 'html' },
    check: (answer) => {
      ok(markupOf(answer).includes(`<p>${MARKUP.latin1}</p>`));
      equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    },
  },
];
