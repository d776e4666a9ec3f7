import { documentOf, type HostileCase, scriptPage } from '../hostile-case.ts';

const TIMEOUT = '500 TimeoutError';

/** Returns a case with a page that runs this script. By default the capture succeeds. */
function script(
  id: string,
  title: string,
  code: string,
  more: Omit<HostileCase, 'id' | 'title' | 'pages'> = {},
): HostileCase {
  return { id, title, pages: () => ({ '': scriptPage(code) }), blocked: 'any', ...more };
}

export const SCRIPT_CASES: readonly HostileCase[] = [
  script('H01', 'an endless script', 'while (true);', {
    isCore: true,
    requests: ({ site }) => [{ url: site, wait_for_timeout: 1_500 }],
    outcomes: [TIMEOUT],
  }),
  {
    id: 'H02',
    title: 'an endless script that starts shortly after load, beside normal captures',
    isCore: true,
    pages: () => ({
      '': scriptPage('onload = () => setTimeout(() => { while (true); }, 100);'),
      normal: documentOf('normal'),
    }),
    requests: ({ site }) => [
      { url: site, full_page: true },
      { url: `${site}normal` },
      { url: `${site}normal`, format: 'pdf' },
      { url: `${site}normal`, full_page: true },
    ],
    atOnce: true,
    outcomes: ['200', TIMEOUT],
    verify: ({ answers }) => {
      if (answers.slice(1).some(({ status }) => status !== 200)) throw new Error('a normal capture failed');
    },
  },
  script(
    'H02a',
    'an endless script in an isolated frame',
    'document.body.append(Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", srcdoc: "<script>while(1);</scr" + "ipt>" }))',
    {
      outcomes: ['200', TIMEOUT],
    },
  ),
  script(
    'H03',
    'dialogs in a loop, before and after load',
    `const ask = () => { for (let n = 0; n < 300; n++) { alert(n); confirm(n); prompt(n); } };
ask(); onload = () => { ask(); setInterval(ask, 50); };`,
    { isCore: true, outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H04',
    'a page that blocks navigation (beforeunload)',
    "addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'stay'; return 'stay'; }); onunload = () => { while (true); };",
    { isCore: true },
  ),
  script(
    'H05',
    'print() in a loop',
    'print(); onload = () => { for (let n = 0; n < 100; n++) print(); setInterval(print, 20); };',
    { outcomes: ['200'] },
  ),
  script('H06', 'a PDF whose printing never ends', "addEventListener('beforeprint', () => { while (true); });", {
    requests: ({ site }) => [{ url: site, format: 'pdf' }],
    outcomes: ['200', TIMEOUT],
  }),
  script('H07', 'endless reloads', 'onload = () => location.reload();', {
    outcomes: ['200', TIMEOUT],
  }),
  {
    id: 'H07a',
    title: 'endless meta refreshes, and pages that navigate to each other',
    pages: ({ site }) => ({
      meta: documentOf('x', '<meta http-equiv="refresh" content="0">'),
      a: scriptPage(`location = '${site}b?' + Math.random();`),
      b: scriptPage(`location = '${site}a?' + Math.random();`),
    }),
    requests: ({ site }) => ['meta', 'a'].map((path) => ({ url: `${site}${path}` })),
    outcomes: ['200', TIMEOUT],
  },
  script(
    'H10a',
    'document.open() in a loop',
    'onload = () => setInterval(() => { document.open(); document.write("<p>" + Math.random()); document.close(); }, 5);',
    { outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H22',
    'recursion, a million promises, regular expression backtracking',
    `try { (function f() { f(); })(); } catch {}
for (let n = 0; n < 1e6; n++) Promise.resolve(n);
onload = () => /^(a+)+$/.test('a'.repeat(50) + 'b');`,
    { outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H22a',
    'endless microtasks',
    'onload = () => { const again = () => Promise.resolve().then(again); again(); };',
    { outcomes: [TIMEOUT, '200'] },
  ),
  script(
    'H23',
    '200 endless workers',
    `const url = URL.createObjectURL(new Blob(['while (true);']));
for (let n = 0; n < 200; n++) new Worker(url);`,
    { outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H26',
    'thousands of popups',
    `for (let n = 0; n < 1000; n++) open('about:blank', 'w' + n);
onload = () => { for (let n = 0; n < 1000; n++) { const a = document.createElement('a'); a.href = '?' + n; a.target = '_blank'; document.body.append(a); a.click(); } };`,
    { isCore: true, outcomes: ['200', TIMEOUT] },
  ),
  script('H27', 'a page that closes itself', 'close(); onload = () => { close(); open("", "_self").close(); };', {
    outcomes: ['200', '500 PageCrashedError'],
    isCore: true,
  }),
  script(
    'H35',
    'permission requests: notifications, location, camera, MIDI, clipboard, USB, storage',
    `Notification.requestPermission?.();
navigator.geolocation?.getCurrentPosition(() => {}, () => {});
navigator.mediaDevices?.getUserMedia({ video: true, audio: true }).catch(() => {});
navigator.mediaDevices?.getDisplayMedia?.().catch(() => {});
navigator.requestMIDIAccess?.({ sysex: true }).catch(() => {});
navigator.clipboard?.readText().catch(() => {});
navigator.usb?.requestDevice({ filters: [] }).catch(() => {});
navigator.bluetooth?.requestDevice({ acceptAllDevices: true }).catch(() => {});
navigator.storage?.persist?.();
document.body.requestFullscreen?.().catch(() => {});
document.body.requestPointerLock?.();
navigator.credentials?.get({ publicKey: { challenge: new Uint8Array(16) } }).catch(() => {});
window.showOpenFilePicker?.().catch(() => {});
Object.assign(document.createElement('input'), { type: 'file' }).click();`,
  ),
  script(
    'H37',
    'addresses that open other programs',
    "onload = () => { for (const u of ['mailto:a@example.net', 'tel:1', 'intent://x#Intent;end', 'steam://run/1', 'ms-settings:']) location = u; };",
    {
      requests: ({ site }) => [{ url: site, wait_for_network: 'idle' }],
    },
  ),
  script(
    'H38',
    'floods of history entries, messages, hashes and console lines',
    `onload = () => {
  const flood = () => { const end = performance.now() + 40;
    while (performance.now() < end) { console.log('x'.repeat(1000), {}); postMessage(1); try { history.pushState(1, '', '?' + Math.random()); location.hash = Math.random(); } catch {} }
    setTimeout(flood); };
  flood();
};`,
    { outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H39',
    'console objects with side effects, and huge exceptions',
    `for (let n = 0; n < 1e5; n++) console.log({ n, deep: { deep: [n] } });
setTimeout(() => { throw new Error('x'.repeat(1e7)); }); Promise.reject(new Error('y'.repeat(1e7)));`,
    { outcomes: ['200', TIMEOUT] },
  ),
  script(
    'H43',
    'overridden built-ins: Promise, JSON, Array, fonts and more',
    `onload = () => {
  for (const name of ['Promise', 'JSON', 'Array', 'Object', 'Map', 'Symbol', 'Math', 'Date', 'requestAnimationFrame', 'setTimeout', 'getComputedStyle', 'Element', 'Node', 'IntersectionObserver', 'MutationObserver', 'performance']) {
    try { Object.defineProperty(window, name, { get() { throw new Error('mine'); } }); } catch {}
  }
  Object.defineProperty(document, 'fonts', { get() { return { ready: { then() {} }, status: 'loading' }; } });
  Object.defineProperty(document, 'images', { get() { throw new Error('mine'); } });
  Document.prototype.querySelector = Document.prototype.querySelectorAll = () => { throw new Error('mine'); };
  Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, width: 1e9, height: 1e9 });
  Object.defineProperty(Element.prototype, 'outerHTML', { get() { return 'stolen'; } });
};`,
    {
      isCore: true,
      requests: ({ site }) => [
        { url: site },
        { url: site, full_page: true },
        { url: site, selector: 'p' },
        { url: site, format: 'html', selector: 'p' },
        { url: site, format: 'pdf' },
      ],
      verify: ({ answers }) => {
        if (answers[3]?.body.toString().includes('<p>text</p>') !== true)
          throw new Error('the page decided what we read');
      },
    },
  ),
  script(
    'H44',
    'then() on Object.prototype',
    "Object.prototype.then = function () {}; Object.prototype.toJSON = () => 'mine'; Object.prototype.get = () => {};",
    { isCore: true },
  ),
  script(
    'H47',
    'endless animation',
    `document.body.innerHTML += '<style>@keyframes s { to { transform: rotate(1turn) } } p { animation: s .3s infinite }</style><marquee>x</marquee>';
const draw = () => { document.body.style.background = '#' + Math.random().toString(16).slice(2, 8); requestAnimationFrame(draw); }; draw();`,
  ),
];
