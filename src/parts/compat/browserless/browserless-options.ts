import { validationError } from '../../../core/ground/errors.ts';
import { each, type Fields, ignored, near, type Options, refused, same, sameText } from '../convert-options.ts';
import { blockedResources, boolean, networkWait, number, readObject, toCookie, whenTrue } from '../option-values.ts';

/** Objects of the body whose members are options. */
export const GROUPS = new Set(['gotoOptions', 'options', 'viewport']);

/** Options that depend on other options. The routes convert them to fields. */
export interface Undecided {
  /** Scripts that add the style and script tags of the request to the page. */
  readonly styleTags?: readonly string[];
  readonly scriptTags?: readonly string[];
  /** Limits of single waits, and of the whole request, in milliseconds. */
  readonly waitLimits?: readonly number[];
  readonly totalLimit?: number;
  readonly isBestAttempt?: boolean;
  readonly hasHeaders?: boolean;
  readonly prefersPageSize?: boolean;
}
const undecided = (value: Undecided): Fields => ({ ...value });

const COOKIE_MEMBERS = new Set(['name', 'value', 'domain', 'path', 'secure', 'httpOnly', 'sameSite']);
const PICTURES = ['png', 'jpeg', 'webp'];
const NO_EVENTS = 'waitForFunction can wait for what the event changes';

/** Options of all routes. */
export const CONTENT_OPTIONS: Options = {
  url: same('url'),
  html: sameText('html_content'),
  waitForSelector: same('wait_for_selector', toElementWait),
  waitForFunction: near('wait_for_function', '`polling` has no effect', toFunctionWait),
  waitForTimeout: same('delay_capture', number('delay_capture')),
  waitForEvent: refused(NO_EVENTS),
  'gotoOptions.waitUntil': near('wait_for_network', '`load` and `domcontentloaded` add no wait', networkWait),
  'gotoOptions.timeout': near('wait_for_timeout', 'the longest limit is that of each wait', limit),
  'gotoOptions.referrerPolicy': refused(),
  timeout: near('wait_for_timeout', 'limits each wait', (values, name) =>
    undecided({ totalLimit: readMilliseconds(values, name) }),
  ),
  bestAttempt: near(
    'wait_for_selector',
    'not with `waitForFunction`; late resources never fail a page',
    (values, name) => undecided({ isBestAttempt: readFlag(values, name) }),
  ),
  'viewport.width': same('window_width', number('window_width')),
  'viewport.height': same('window_height', number('window_height')),
  'viewport.deviceScaleFactor': same('pixel_density', number('pixel_density')),
  'viewport.isMobile': same('is_mobile', boolean('is_mobile')),
  'viewport.hasTouch': same('has_touch', boolean('has_touch')),
  emulateMediaType: same('media_type'),
  userAgent: near('user_agent', 'no metadata', readUserAgent),
  setExtraHTTPHeaders: near('custom_headers', 'sent to the origin of `url` only', (values, name) => ({
    custom_headers: readObject(values, name),
  })),
  'gotoOptions.referer': near('custom_headers', 'sent to the origin of `url` only', ([value = '']) => ({
    custom_headers: { Referer: value },
  })),
  cookies: same('cookies', (values, name) => ({ cookies: values.map((value) => readCookie(value, name)) })),
  authenticate: same('http_auth', (values, name) => ({ http_auth: readObject(values, name) })),
  setJavaScriptEnabled: same('javascript', boolean('javascript')),
  addScriptTag: near('custom_js', 'no `path`', (values, name) =>
    undecided({ scriptTags: values.map((value) => toTag('script', value, name)) }),
  ),
  addStyleTag: near('custom_js', 'no `path`', (values, name) =>
    undecided({ styleTags: values.map((value) => toTag('style', value, name)) }),
  ),
  rejectRequestPattern: near('block_requests', 'no choices, sets or counts; a dot is a dot', (values, name) => ({
    block_requests: values.map((value) => toPattern(value, name)),
  })),
  rejectResourceTypes: near('block_resources', 'no `document`', blockedResources),
  blockAds: near('block_ads', 'and `block_trackers`', whenTrue({ block_ads: true, block_trackers: true })),
  blockConsentModals: near('block_cookie_banners', 'rejects, never accepts', boolean('block_cookie_banners')),
  ...each(ignored(), 'token viewport.isLandscape headless stealth slowMo trackingId'),
  ...each(refused(), 'requestInterceptors launch proxy externalProxyServer'),
};

/** Options of `/screenshot`. */
export const SCREENSHOT_OPTIONS: Options = {
  ...CONTENT_OPTIONS,
  selector: same('selector'),
  scrollPage: near('full_page_scroll', 'a whole page only, and by default', boolean('full_page_scroll')),
  'options.type': same('format', ([value = ''], name) => {
    if (PICTURES.includes(value)) return { format: value };
    throw validationError(`${name}: must be one of ${PICTURES.join(', ')}`);
  }),
  'options.quality': same('image_quality', number('image_quality')),
  'options.fullPage': same('full_page', boolean('full_page')),
  'options.clip': near('clip', 'no `scale`', readClip),
  'options.omitBackground': same('omit_background', boolean('omit_background')),
  'options.encoding': same('response_type', ([value], name) => {
    if (value === 'binary' || value === 'base64') return {};
    throw validationError(`${name}: must be binary or base64`);
  }),
  ...each(ignored(), 'options.captureBeyondViewport options.fromSurface options.optimizeForSpeed'),
  'options.path': refused(),
};

/** Options of `/pdf`. */
export const PDF_OPTIONS: Options = {
  ...CONTENT_OPTIONS,
  'options.format': same('pdf_format'),
  'options.width': same('pdf_width'),
  'options.height': same('pdf_height'),
  'options.margin': same('pdf_margin', (values, name) => ({ pdf_margin: readObject(values, name) })),
  'options.landscape': near('pdf_landscape', 'the longer side is horizontal', boolean('pdf_landscape')),
  'options.scale': same('pdf_scale', number('pdf_scale')),
  'options.printBackground': same('pdf_print_background', boolean('pdf_print_background')),
  'options.pageRanges': same('pdf_page_ranges'),
  'options.fullPage': same('pdf_single_page', boolean('pdf_single_page')),
  'options.preferCSSPageSize': near('pdf_format', 'A4 if the page sets no size', (values, name) =>
    undecided({ prefersPageSize: readFlag(values, name) }),
  ),
  'options.headerTemplate': same('pdf_header_html'),
  'options.footerTemplate': same('pdf_footer_html'),
  'options.displayHeaderFooter': near('pdf_header_html', 'without templates, nothing', (values, name) =>
    undecided({ hasHeaders: readFlag(values, name) }),
  ),
  'options.outline': same('pdf_outline', boolean('pdf_outline')),
  'options.tagged': same('pdf_tagged', boolean('pdf_tagged')),
  'options.timeout': near('wait_for_timeout', 'the longest limit is that of each wait', limit),
  ...each(ignored(), 'options.omitBackground options.waitForFonts'),
  'options.path': refused(),
};

function readFlag(values: readonly string[], name: string): boolean {
  return boolean('flag')(values, name)['flag'] === true;
}

function readMilliseconds(values: readonly string[], name: string): number {
  return Number(number('milliseconds')(values, name)['milliseconds']);
}

/** 0 is no limit, as in Puppeteer. */
function limit(values: readonly string[], name: string): Fields {
  const milliseconds = readMilliseconds(values, name);
  return milliseconds === 0 ? {} : undecided({ waitLimits: [milliseconds] });
}

function limitOf(timeout: unknown, name: string): Fields {
  return timeout === undefined ? {} : limit([JSON.stringify(timeout)], `${name}.timeout`);
}

function toElementWait(values: readonly string[], name: string): Fields {
  const { selector, hidden, visible, timeout } = readObject(values, name);
  const limits = limitOf(timeout, name);
  if (hidden === true) return { ...limits, wait_for_selector_hidden: selector };
  return {
    ...limits,
    ...(visible === true ? { actions: [{ type: 'wait', selector }] } : { wait_for_selector: selector }),
  };
}

/** An asynchronous function has met the condition when it has ended. */
function toFunctionWait(values: readonly string[], name: string): Fields {
  const { fn, timeout } = readObject(values, name);
  const endsItself = typeof fn === 'string' && /^async\b/.test(fn.trimStart());
  const condition = endsItself ? `async () => {\nawait (${fn}\n)();\nreturn true;\n}` : fn;
  return { ...limitOf(timeout, name), wait_for_function: condition };
}

function readUserAgent([value = '']: readonly string[], name: string): Fields {
  if (!value.startsWith('{')) return { user_agent: value };
  const { userAgent, ...others } = readObject([value], name);
  const [other] = Object.keys(others);
  if (other === undefined) return { user_agent: userAgent };
  throw validationError(`${name}: only userAgent is supported, as text or as a member`);
}

/** Other members, which `page.cookies()` returns, describe no cookie to set. -1 is a cookie of the session. */
function readCookie(value: string, name: string): unknown {
  const { url, expires, ...members } = readObject([value], name);
  const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
  return toCookie({
    ...(host !== undefined && { domain: host }),
    ...Object.fromEntries(Object.entries(members).filter(([member]) => COOKIE_MEMBERS.has(member))),
    ...(expires !== undefined && expires !== -1 && { expires }),
  });
}

function readClip(values: readonly string[], name: string): Fields {
  const { scale = 1, ...clip } = readObject(values, name);
  if (scale === 1) return { clip };
  throw validationError(`${name}: scale is not supported; viewport.deviceScaleFactor is`);
}

/** Returns a script that adds a tag to the page, and waits until its file has loaded. */
function toTag(kind: 'script' | 'style', value: string, name: string): string {
  const { content, url, path, id, type } = readObject([value], name);
  if (path !== undefined) throw validationError(`${name}: path is not supported, only content and url`);
  if (typeof (url ?? content) !== 'string') throw validationError(`${name}: must have content or url, as text`);
  const element = kind === 'style' && url !== undefined ? 'link' : kind;
  const source = { script: { src: url }, style: {}, link: { rel: 'stylesheet', href: url } }[element];
  const members = {
    id,
    ...(kind === 'script' && { type }),
    ...(url === undefined ? { textContent: content } : source),
  };
  return `await new Promise((resolve, reject) => {
  const tag = Object.assign(document.createElement('${element}'), ${JSON.stringify(members)});
  tag.onload = resolve;
  tag.onerror = () => reject(new Error('a file of ${name} could not be loaded'));
  (document.head ?? document.documentElement).append(tag);
  ${url === undefined ? 'resolve();' : ''}
});`;
}

/**
 * Converts a regular expression that only has literal text, `.*`, and `^` and `$` at its ends, to a pattern in which
 * `*` matches any text.
 */
function toPattern(value: string, name: string): string {
  const tokens = [...value.matchAll(/\\[^a-z0-9]|\.[*+]\??|[^\\[\](){}+?*|]/gis)].map(([token]) => token);
  const isStart = tokens[0] === '^';
  const isEnd = tokens.at(-1) === '$';
  const inner = tokens.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  if (tokens.join('') !== value || inner.some((token) => token === '^' || token === '$')) {
    throw validationError(
      `${name}: must have text, .*, ^ and $ only; block_requests of POST /capture has patterns with *`,
    );
  }
  const texts = inner.map((token) => (token.startsWith('\\') ? token.slice(1) : token.replace(/^\..+/s, '*')));
  return `${isStart ? '' : '*'}${texts.join('')}${isEnd ? '' : '*'}`;
}
