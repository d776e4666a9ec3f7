import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Exchange, page, type Routes, send, sendHtml, toDocument } from './exchange.ts';

/** A story without a banner. After a banner is refused or removed, every page of `/banners/` looks like this. */
const STORY = `<header style="background:#024;color:#fff;padding:8px">The Daily Page</header>
<h1>A story</h1>
<p style="max-width:600px">Bread is baked of flour, water, salt and time. The oven is hot, the crust is brown, and nobody waits.</p>
<div style="width:300px;height:200px;background:#c80"></div>`;
/** Reports each choice: changes in storage, and calls of the page's own `chosen`. */
const REPORT = `<script>
function chosen(what) { fetch('/chosen?what=' + encodeURIComponent(what), { keepalive: true }); }
{
  const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(document, 'cookie', {
    get() { return get.call(document); },
    set(value) { set.call(document, value); chosen(value.split(';')[0]); },
    configurable: true,
  });
}
</script>`;

const BOTTOM = 'position:fixed;bottom:0;left:0;right:0;padding:20px;background:#333;color:#fff;z-index:9999';
const removes = (id: string, what: string): string =>
  `onclick="chosen('${what}');document.getElementById('${id}').remove()"`;

interface HomeMade {
  readonly text: string;
  readonly accept: string;
  readonly refuse?: string;
}
const homeMade = ({ text, accept, refuse }: HomeMade): string =>
  `<div id="bar" style="${BOTTOM}"><p>${text} <a href="/privacy" style="color:#fff">…</a></p>
<button ${removes('bar', 'accepted')}>${accept}</button>
${refuse === undefined ? '' : `<button ${removes('bar', 'rejected')}>${refuse}</button>`}</div>`;

/** Texts of the banner by language: explanation, accept and refuse buttons. */
export const HOME_MADE: Readonly<Record<string, HomeMade>> = {
  en: { text: 'We use cookies to improve your visit.', accept: 'Accept all', refuse: 'Reject all' },
  de: {
    text: 'Wir verwenden Cookies, um unser Angebot zu verbessern.',
    accept: 'Alle akzeptieren',
    refuse: 'Nur notwendige Cookies',
  },
  fr: {
    text: 'Nous utilisons des cookies pour améliorer votre visite.',
    accept: 'Tout accepter',
    refuse: 'Tout refuser',
  },
  es: {
    text: 'Utilizamos cookies propias y de terceros para mejorar su visita.',
    accept: 'Aceptar todas',
    refuse: 'Rechazar todas',
  },
  it: {
    text: 'Questo sito utilizza cookie tecnici e di terze parti.',
    accept: 'Accetta',
    refuse: 'Rifiuta tutto',
  },
  nl: {
    text: 'Wij gebruiken cookies om de website te verbeteren.',
    accept: 'Alles accepteren',
    refuse: 'Alles weigeren',
  },
  da: { text: 'Vi bruger cookies til statistik.', accept: 'Tillad alle', refuse: 'Afvis alle' },
};

const styled = (css: string): string => `<style>${css}</style>`;

/** Banners without a rule, and how each is handled. */
export const OWN_BANNERS = {
  'ok-only': {
    body: homeMade({ text: 'We use cookies to improve your visit.', accept: 'OK' }),
    goes: 'taken off',
  },
  'thin-ok-only': {
    body: `<div id="bar" style="position:fixed;bottom:0;width:100%;background:#999">Diese Website verwendet Cookies. <a href="/privacy">Mehr</a>
<a href="#" ${removes('bar', 'accepted')}>Verstanden</a></div>`,
    goes: 'taken off',
  },
  'thin-link': {
    body: `<div id="bar" style="position:fixed;top:0;width:100%;background:#999">Ce site utilise des cookies.
<a href="javascript:void(0)" ${removes('bar', 'rejected')}>Continuer sans accepter</a> <button ${removes('bar', 'accepted')}>Accepter</button></div>`,
    goes: 'refused',
  },
  'modal-ok-only': {
    head: styled('body.held { overflow: hidden }'),
    body: `<div id="veil" style="position:fixed;inset:0;background:rgba(0,0,0,.6);z-index:98"></div>
<div id="box" style="position:fixed;top:200px;left:300px;width:400px;background:#fff;z-index:99;padding:20px">
<h2>Cookies</h2><p>This site uses cookies. By continuing you agree.</p><button ${removes('box', 'accepted')}>Got it!</button></div>
<script>document.body.classList.add('held')</script>`,
    goes: 'taken off',
  },
  'settings-only': {
    body: `<div id="bar" style="${BOTTOM}"><p>We use cookies and similar technologies.</p>
<button ${removes('bar', 'accepted')}>Accept all</button><button onclick="location='/colours'">Cookie settings</button></div>`,
    goes: 'taken off',
  },
  dialog: {
    body: `<dialog id="ask"><p>We use cookies for statistics.</p><button ${removes('ask', 'accepted')}>Allow all</button>
<button ${removes('ask', 'rejected')}>Only necessary cookies</button></dialog><script>document.getElementById('ask').showModal()</script>`,
    goes: 'refused',
  },
  shadow: {
    body: `<div id="host"></div><script>{
const root = document.getElementById('host').attachShadow({ mode: 'open' });
root.innerHTML = '<div style="${BOTTOM}"><p>We use cookies to improve your visit.</p><button id="yes">Accept all</button><button id="no">Reject all</button></div>';
for (const [id, what] of [['yes', 'accepted'], ['no', 'rejected']])
  root.getElementById(id).onclick = () => { chosen(what); document.getElementById('host').remove(); };
}</script>`,
    goes: 'refused',
  },
  faded: {
    head: styled('#bar { transition: opacity .3s } #bar.away { opacity: 0 }'),
    body: `<div id="bar" style="${BOTTOM}"><p>We use cookies to improve your visit.</p><button onclick="chosen('accepted')">Accept all</button>
<button onclick="chosen('rejected');this.parentNode.className='away';setTimeout(() => document.getElementById('bar').remove(), 300)">Reject all</button></div>`,
    goes: 'refused',
  },
  reloading: {
    body: `<script>if (!sessionStorage.no) document.body.insertAdjacentHTML('beforeend', \`<div id="bar" style="${BOTTOM}">
<p>We use cookies to improve your visit.</p><button onclick="chosen('accepted')">Accept all</button>
<button onclick="chosen('rejected');sessionStorage.no=1;location.reload()">Reject all</button></div>\`)</script>`,
    goes: 'refused',
  },
  'later-1500': {
    body: `<script>addEventListener('load', () => setTimeout(() => document.body.insertAdjacentHTML('beforeend', \`${homeMade({ text: 'We use cookies to improve your visit.', accept: 'Accept all', refuse: 'Reject all' })}\`), 1500))</script>`,
    goes: 'refused',
  },
  unresponsive: {
    body: `<div id="bar" style="${BOTTOM}"><p>We use cookies to improve your visit.</p><button onclick="chosen('accepted')">Accept all</button>
<button onclick="chosen('rejected')">Reject all</button></div>`,
    goes: 'refused, then taken off',
  },
} as const satisfies Record<string, { head?: string; body: string; goes: string }>;

const bannerWith = (no: string): string =>
  `<div id="bar" style="${BOTTOM}"><p>We use cookies to improve your visit.</p><button onclick="chosen('accepted')">Accept all</button><button onclick="chosen('rejected');${no}">Reject all</button></div>`;

/** Pages that resist a refusal, or try to detect it. */
const FIGHTING: Readonly<Record<string, { readonly body: string }>> = {
  'again-and-again': {
    body: `<script>const add = () => {
const bar = document.querySelector('.bar');
if (bar !== null && getComputedStyle(bar).display !== 'none') return;
bar?.remove();
document.body.insertAdjacentHTML('beforeend', \`${bannerWith('this.parentNode.remove()').replace('id="bar"', 'class="bar"')}\`);
};
setInterval(add, 20);
new MutationObserver(add).observe(document.body, { childList: true });</script>`,
  },
  overridden: {
    body: `${bannerWith('this.parentNode.remove()')}<script>
const never = () => { throw new Error('never'); };
window.setTimeout = window.MutationObserver = window.Promise = Array.prototype.map = JSON.stringify = HTMLElement.prototype.click = never;
Document.prototype.querySelector = Document.prototype.querySelectorAll = Document.prototype.elementsFromPoint = never;
</script>`,
  },
  'going-for-ever': {
    body: `${bannerWith(`sessionStorage.goes=1;location='?'+Math.random()`)}<script>if (sessionStorage.goes) location = '?' + Math.random()</script>`,
  },
  spinning: { body: bannerWith('for (;;);') },
  watching: {
    body: `${bannerWith('this.parentNode.remove()')}<script>{
const own = new Set(Object.getOwnPropertyNames(window));
setTimeout(() => chosen(Object.getOwnPropertyNames(window).filter((name) => !own.has(name)).join()), 1500);
}</script>`,
  },
};

const CORNER = 'position:fixed;left:16px;bottom:16px;padding:8px;background:#333;color:#fff';
/** Buttons that open cookie settings again. */
export const SETTINGS_TABS: Readonly<Record<string, string>> = {
  'tab-text': `<button style="${CORNER}">Cookie settings</button>`,
  'tab-german': `<a href="#" style="${CORNER}">Datenschutz-Einstellungen</a>`,
  'tab-french': `<div style="${CORNER}"><button>Gérer les cookies</button></div>`,
  'tab-icon': `<button aria-label="Cookie preferences" style="${CORNER}"><svg width="24" height="24"><circle cx="12" cy="12" r="12" fill="#fff"/></svg></button>`,
  'tab-onetrust': `<div id="ot-sdk-btn-floating" style="${CORNER};left:70%;width:50px;height:50px"></div>`,
};
/** Floating buttons about something else. */
export const OTHER_TABS: Readonly<Record<string, string>> = {
  'tab-shop': `<button style="${CORNER}">Order cookies</button>`,
  'tab-chat': `<button aria-label="Chat settings" style="${CORNER}">?</button>`,
  'tab-badge': `<div style="${CORNER}">Privacy - Terms</div>`,
  'tab-form': `<form style="${CORNER}">Cookie settings <input></form>`,
};

/** Consent libraries from npm, each set up according to its documentation. */
const LIBRARIES: Readonly<Record<string, { readonly head: string; readonly body: string }>> = {
  vanilla: vanilla('Reject all'),
  'vanilla-two-layers': vanilla(undefined),
  klaro: {
    head: `<link rel="stylesheet" href="/packages/klaro/dist/klaro.min.css">
<script>window.klaroConfig = { version: 1, acceptAll: true, mustConsent: false, services: [{ name: 'stats', title: 'Stats', purposes: ['analytics'], default: false }],
translations: { zz: { privacyPolicyUrl: '/privacy' }, en: { stats: { description: 'Counts' }, purposes: { analytics: { title: 'Analytics' } } } } };</script>`,
    body: '<script defer src="/packages/klaro/dist/klaro.js"></script>',
  },
  cookieconsent: osano(`type: 'opt-in'`),
  'cookieconsent-info': osano(`type: 'info'`),
  tarteaucitron: {
    head: '<script src="/packages/tarteaucitronjs/tarteaucitron.js"></script>',
    body: `<script>
tarteaucitron.init({ orientation: 'bottom', showIcon: false, highPrivacy: true, AcceptAllCta: true, DenyAllCta: true, cookieName: 'tarteaucitron', removeCredit: true });
tarteaucitron.services.stats = { key: 'stats', type: 'analytic', name: 'Stats', needConsent: true, cookies: [], js() {} };
(tarteaucitron.job = tarteaucitron.job || []).push('stats');
</script>`,
  },
};
export const LIBRARY_NAMES = Object.keys(LIBRARIES);

function vanilla(refuse: string | undefined): { head: string; body: string } {
  const first = refuse === undefined ? '' : `acceptNecessaryBtn: '${refuse}',`;
  return {
    head: '<link rel="stylesheet" href="/packages/vanilla-cookieconsent/dist/cookieconsent.css">',
    body: `<script src="/packages/vanilla-cookieconsent/dist/cookieconsent.umd.js"></script><script>CookieConsent.run({ hideFromBots: false,
categories: { necessary: { enabled: true, readOnly: true }, analytics: {} },
language: { default: 'en', translations: { en: {
  consentModal: { title: 'Cookies!', description: 'We use cookies.', acceptAllBtn: 'Accept all', ${first} showPreferencesBtn: 'Manage' },
  preferencesModal: { title: 'Preferences', acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', savePreferencesBtn: 'Save',
    sections: [{ title: 'Analytics', linkedCategory: 'analytics' }] },
} } } })</script>`,
  };
}

function osano(kind: string): { head: string; body: string } {
  return {
    head: '<link rel="stylesheet" href="/packages/cookieconsent/build/cookieconsent.min.css">',
    body: `<script src="/packages/cookieconsent/build/cookieconsent.min.js"></script><script>
addEventListener('load', () => cookieconsent.initialise({ ${kind}, palette: { popup: { background: '#000' }, button: { background: '#f1d600' } } }))</script>`,
  };
}

/**
 * `/banners/none` is the page of each of them without its banner. The pages request `/chosen?what=...` after a choice.
 */
export function bannerRoutes(): Routes {
  const homeMades = Object.entries(HOME_MADE).map(
    ([language, words]) => [`home-made-${language}`, { body: homeMade(words) }] as const,
  );
  const pages: Record<string, { readonly head?: string; readonly body: string }> = {
    ...LIBRARIES,
    ...Object.fromEntries(homeMades),
    ...OWN_BANNERS,
    ...FIGHTING,
    ...Object.fromEntries(Object.entries({ ...SETTINGS_TABS, ...OTHER_TABS }).map(([name, body]) => [name, { body }])),
    none: { body: '' },
  };
  const routes = Object.entries(pages).map(([name, { head = '', body }]) => [
    `/banners/${name}`,
    page({ head: REPORT + head, body: STORY + body }),
  ]);
  return {
    ...Object.fromEntries(routes),
    '/banners/framed': framed(true),
    '/banners/framed-ok-only': framed(false),
    '/banners/in-frame': ({ response, url }) => {
      const refuse = url.searchParams.has('refuse') ? `<button onclick="choose('rejected')">Reject all</button>` : '';
      sendHtml(
        response,
        toDocument({
          head: `<script>function choose(what) { fetch('/chosen?what=' + what, { keepalive: true }); parent.postMessage('away', '*'); }</script>`,
          body: `<p>We use cookies to improve your visit.</p><button onclick="choose('accepted')">Accept all</button>${refuse}`,
        }),
      );
    },
    '/banners/on-scroll': page({
      head: REPORT,
      body: `${STORY}<div style="height:3000px"></div><script>addEventListener('scroll', () => document.body.insertAdjacentHTML('beforeend', \`${homeMade({ text: 'We use cookies to improve your visit.', accept: 'Accept all', refuse: 'Reject all' })}\`), { once: true })</script>`,
    }),
    '/banners/on-scroll-none': page({
      head: REPORT,
      body: `${STORY}<div style="height:3000px"></div><script></script>`,
    }),
    '/banners/about-cookies': page({ body: ABOUT_COOKIES }),
    '/chosen': ({ response }) => {
      send(response, { type: 'text/plain', body: '' });
    },
    ...Object.fromEntries(
      PACKAGE_FILES.map((path) => [`/packages/${path}`, ({ response }: Exchange) => sendPackageFile(response, path)]),
    ),
  };
}

/** A banner in a cross-site frame, on a layer of this page. */
function framed(refusable: boolean): (exchange: Exchange) => void {
  return ({ response, crossSiteOrigin }) => {
    const src = `${crossSiteOrigin}/banners/in-frame${refusable ? '?refuse' : ''}`;
    const body = `${STORY}<div id="layer" style="${BOTTOM}"><iframe src="${src}" width="600" height="150" frameborder="0"></iframe></div>
<script>addEventListener('message', ({ data }) => { if (data === 'away') document.getElementById('layer').remove(); })</script>`;
    sendHtml(response, toDocument({ head: REPORT, body }));
  };
}

/** Mentions cookies only in page content, in every place that may cover a page, and has no banner. */
const ABOUT_COOKIES = `<header style="position:sticky;top:0;background:#eee;padding:8px">Use of cookies <a href="/other">Accept cookies</a></header>
<nav style="position:fixed;right:0;top:80px;width:200px;background:#ddd"><p>How we use cookies</p>
<a href="#accept">Accept all cookies</a><br><a href="#reject">Reject all cookies</a><br><a href="/settings">Cookie settings</a></nav>
<main style="max-width:700px"><h1>How websites ask for consent</h1>
<p>Most say: we use cookies to improve your visit. By continuing you agree to our use of cookies.</p>
<h2 id="accept">Accept all</h2><p>A button that many click.</p><h2 id="reject">Reject all</h2><p>One that few see.</p>
<form><button type="button">Accept all</button> <button type="button">Reject all</button> <button type="button">Save cookie settings</button></form>
<h2>A recipe</h2><p>We use cookies, butter and sugar for the base.</p></main>
<aside style="position:fixed;bottom:0;left:0;background:#fc8;padding:8px">Chocolate chip cookies: 3 in your basket <button>Continue</button></aside>
<div style="position:fixed;bottom:0;right:0;background:#8cf;padding:8px">2 suggested changes <button>Accept all</button><button onclick="this.parentNode.remove()">Reject all</button></div>`;

const PACKAGE_FILES = [
  'chart.js/dist/chart.umd.min.js',
  'chartist/dist/index.umd.js',
  'cookieconsent/build/cookieconsent.min.css',
  'cookieconsent/build/cookieconsent.min.js',
  'frappe-charts/dist/frappe-charts.min.umd.js',
  'klaro/dist/klaro.js',
  'klaro/dist/klaro.min.css',
  'tarteaucitronjs/css/tarteaucitron.css',
  'tarteaucitronjs/lang/tarteaucitron.en.js',
  'tarteaucitronjs/tarteaucitron.js',
  'tarteaucitronjs/tarteaucitron.services.js',
  'vanilla-cookieconsent/dist/cookieconsent.css',
  'vanilla-cookieconsent/dist/cookieconsent.umd.js',
];
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

async function sendPackageFile(response: Exchange['response'], path: string): Promise<void> {
  const file = fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));
  const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain';
  send(response, { type: `${type}; charset=utf-8`, body: await readFile(file) });
}
