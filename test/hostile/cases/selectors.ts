import { documentOf, type HostileCase } from '../hostile-case.ts';

const NOT_FOUND = '400 ElementNotFoundError';

function selectors(
  id: string,
  title: string,
  body: string,
  given: readonly string[],
  outcomes: HostileCase['outcomes'],
  isCore = false,
): HostileCase {
  return {
    id,
    title,
    isCore,
    pages: () => ({ '': documentOf(body) }),
    requests: ({ site }) => given.map((selector) => ({ url: site, selector })),
    ...(outcomes !== undefined && { outcomes }),
  };
}

export const SELECTOR_CASES: readonly HostileCase[] = [
  selectors(
    'E01',
    'invalid selectors',
    'x',
    ['div[', '>>', ':nonsense', '', 'a'.repeat(1_025), '*{}', "'); alert(1); ('"],
    ['400 ValidationError'],
    true,
  ),
  selectors('E02', 'no match', 'x', ['#none', 'p > p'], [NOT_FOUND], true),
  {
    id: 'E02a',
    title: 'wait_for_selector for an element that never appears',
    pages: () => ({ '': documentOf('x') }),
    requests: ({ site }) => [{ url: site, wait_for_selector: '#none', wait_for_timeout: 700 }],
    outcomes: ['500 TimeoutError'],
    isCore: true,
  },
  selectors(
    'E03',
    'an element without size',
    '<i></i><p style="width:0;height:0;overflow:hidden">x</p>',
    ['i', 'p'],
    [NOT_FOUND],
  ),
  selectors(
    'E04',
    'an invisible element',
    '<i hidden>x</i><b style="visibility:hidden">x</b><u style="display:none">x</u>',
    ['i', 'b', 'u'],
    [NOT_FOUND],
    true,
  ),
  selectors(
    'E05',
    'an element that is added and removed repeatedly',
    `<p id="p">x</p><script>setInterval(() => { p.isConnected ? p.remove() : document.body.append(p); }, 1)</script>`,
    ['#p'],
    ['200', NOT_FOUND],
  ),
  selectors(
    'E05a',
    'an element that keeps moving',
    `<p id="p" style="position:absolute;width:99px;height:99px">x</p><script>setInterval(() => { p.style.left = Math.random() * 1e5 + 'px'; p.style.top = -Math.random() * 1e5 + 'px'; }, 1)</script>`,
    ['#p'],
    ['200', NOT_FOUND],
  ),
  selectors(
    'E07',
    'elements outside of the page, very tall, or rotated',
    `<b style="position:fixed;left:-500px;top:-500px;width:50px;height:50px">x</b><i style="display:block;height:20000px;background:red">x</i><u style="display:block;width:99px;transform:rotate(45deg) translateX(-9999px)">x</u>`,
    ['b', 'i', 'u'],
    ['200', NOT_FOUND, '400 ResultTooLargeError'],
  ),
  selectors(
    'E09',
    'selector syntax of other tools',
    '<p>x</p>',
    ['p >>> b', '::-p-xpath(//p)', 'text=x', 'xpath=//p'],
    ['400 ValidationError'],
  ),
  selectors('E10', 'more than one match', '<p>x</p><p>y</p>', ['p'], ['200']),
  selectors(
    'E11',
    'expensive selectors',
    `${'<b>'.repeat(400)}x`,
    [`${':has('.repeat(1)}b)`, `${'b '.repeat(200)}b`, `:is(${'b,'.repeat(300)}b)`],
    ['200', NOT_FOUND, '500 TimeoutError', '400 ValidationError'],
  ),
];
