import { documentOf, type Fields, type HostileCase } from '../hostile-case.ts';

const TIMEOUT = '500 TimeoutError';
const FAILED = '400 ActionFailedError';
const BUTTON = '<button id="go">Go</button>';
const CLICK: Fields = { type: 'click', selector: '#go' };

/** Returns a case with this content in the page; by default it clicks `#go`. */
function acting(
  id: string,
  title: string,
  body: string,
  { actions = [CLICK], ...more }: Partial<HostileCase> & { readonly actions?: readonly Fields[] } = {},
): HostileCase {
  return {
    id,
    title,
    pages: () => ({ '': documentOf(body), next: documentOf('next') }),
    requests: ({ site }) => [{ url: site, wait_for_timeout: 1_500, actions }],
    blocked: 'any',
    ...more,
  };
}

/** Checks the page through functions that its scripts cannot change. */
function contains(text: string): Pick<HostileCase, 'requests' | 'verify'> {
  return {
    requests: ({ site }) => [{ url: site, format: 'html', wait_for_timeout: 1_500, actions: [CLICK] }],
    verify: ({ answers }) => {
      if (!answers.every(({ body }) => body.toString().includes(text))) throw new Error(`there is no ${text}`);
    },
  };
}

export const ACTION_CASES: readonly HostileCase[] = [
  acting(
    'T01',
    'a page that overrides click, event and query functions',
    `${BUTTON}<script>
document.querySelector('#go').addEventListener('click', () => { document.body.id = 'clicked'; });
for (const [owner, names] of [
  [EventTarget, ['addEventListener', 'dispatchEvent']],
  [HTMLElement, ['click', 'focus']],
  [Element, ['getBoundingClientRect', 'getClientRects', 'scrollIntoView', 'checkVisibility', 'matches', 'closest', 'querySelector']],
  [Document, ['elementFromPoint', 'querySelector', 'querySelectorAll', 'execCommand']],
]) for (const name of names) owner.prototype[name] = () => { throw new Error('taken'); };
window.requestAnimationFrame = window.setTimeout = () => 0;
window.Promise = undefined; Array.prototype.filter = Array.prototype.map = () => { throw new Error('taken'); };
</script>`,
    { isCore: true, ...contains('id="clicked"') },
  ),
  acting(
    'T02',
    'a clicked element that never stops moving',
    `${BUTTON}<script>setInterval(() => { document.querySelector('#go').style.marginLeft = Math.random() * 500 + 'px'; }, 1);</script>`,
    { outcomes: [FAILED] },
  ),
  acting(
    'T03',
    'a click that starts endless navigation',
    `${BUTTON}<script>if (location.search) location.href = '?' + Math.random(); document.querySelector('#go').onclick = () => { location.href = '?1'; };</script>`,
    { isCore: true, outcomes: ['200', FAILED, TIMEOUT], actions: [CLICK, CLICK] },
  ),
  acting(
    'T04',
    'dialogs at each event',
    `${BUTTON}<script>for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'keydown', 'focus', 'blur'])
addEventListener(type, () => { for (let n = 0; n < 50; n++) { alert(n); confirm(n); prompt(n); } }, true);</script><input>`,
    { actions: [CLICK, { type: 'type', selector: 'input', text: 'abc' }, { type: 'press', key: 'Tab' }] },
  ),
  acting(
    'T05',
    'a click that starts an endless script',
    `${BUTTON}<script>document.querySelector('#go').onclick = () => { while (true); };</script>`,
    { outcomes: [TIMEOUT], actions: [CLICK, CLICK] },
  ),
  acting(
    'T06',
    'a click that starts an endless script after a short delay',
    `${BUTTON}<script>document.querySelector('#go').onclick = () => setTimeout(() => { while (true); }, 30);</script>`,
    { outcomes: [TIMEOUT], actions: [CLICK, CLICK] },
  ),
  acting(
    'T07',
    'five thousand covering layers, and five thousand matches',
    `${BUTTON}${'<div class="go" style="position:fixed;inset:0;opacity:0"></div>'.repeat(5_000)}`,
    {
      outcomes: [FAILED],
      actions: [
        { type: 'click', selector: '#go, .none' },
        { type: 'hover', selector: '.go' },
      ],
    },
  ),
  acting(
    'T08',
    'fields that remove themselves, return, and move the focus',
    `<input id="go"><input id="other"><script>
const swap = () => { const it = document.querySelector('#go'); it.replaceWith(it.cloneNode()); document.querySelector('#other').focus(); };
addEventListener('focus', swap, true); addEventListener('keydown', swap, true);
</script>`,
    { outcomes: ['200', FAILED], actions: [{ type: 'type', selector: '#go', text: 'abc', clear: true }] },
  ),
  acting(
    'T09',
    'a click that opens windows and requests files, folders, screens and more',
    `${BUTTON}<script>document.querySelector('#go').onclick = () => {
for (let n = 0; n < 20; n++) window.open('next?' + n);
for (const ask of [() => showOpenFilePicker(), () => showDirectoryPicker(), () => navigator.mediaDevices.getDisplayMedia(), () => document.documentElement.requestFullscreen(), () => document.documentElement.requestPointerLock(), () => navigator.clipboard.read(), () => navigator.usb.requestDevice({ filters: [] }), () => print()])
  try { Promise.resolve(ask()).catch(() => undefined); } catch {}
const input = Object.assign(document.createElement('input'), { type: 'file', webkitdirectory: true }); input.click();
};</script>`,
    { isCore: true, actions: [CLICK, { type: 'press', key: 'Escape' }, CLICK] },
  ),
  {
    ...acting('T10', 'a click that navigates to a forbidden address', ''),
    isCore: true,
    pages: ({ canary }) => ({
      '': documentOf(`<a id="go" href="${canary}">Go</a>`),
      late: documentOf(`<button id="go" onclick="setTimeout(() => { location.href = '${canary}' }, 20)">Go</button>`),
      form: documentOf(`<form action="${canary}" method="post"><button id="go">Go</button></form>`),
    }),
    requests: ({ site, canary }) => [
      ...['', 'late', 'form'].map((path) => ({
        url: `${site}${path}`,
        actions: [CLICK, { type: 'wait', milliseconds: 100 }],
      })),
      { url: site, actions: [{ type: 'goto', url: canary }] },
    ],
    outcomes: ['400 DestinationNotAllowedError'],
  },
  acting('T11', 'the maximum number of actions, each with a wait', '<p>nothing</p>', {
    withinMs: 10_000,
    outcomes: ['200', TIMEOUT],
    actions: Array.from({ length: 50 }, () => ({ type: 'click', selector: '#none', optional: true })),
  }),
];
