import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureSchema } from '../../../src/core/capture/request/options.ts';
import { findDevice } from '../../../src/core/steps/device.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { LAZY_PAGE } from '../../support/pages/scrolling.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

describe('the emulated visitor of a page', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });
  const sourceOf = async (path: string, fields: Readonly<Record<string, unknown>>): Promise<string> =>
    (await captureOf(path, { format: 'html', ...fields })).body.toString();
  /** Evaluates an expression in the page. */
  const valueOf = async (expression: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const source = await sourceOf('/colours', {
      ...fields,
      custom_js: `document.body.innerHTML = '<pre>' + JSON.stringify(${expression}) + '</pre>'`,
    });
    return JSON.parse(/<pre>(.*)<\/pre>/s.exec(source)?.[1] ?? 'null');
  };

  it('has the requested user_agent', async () => {
    const user_agent = 'Mozilla/5.0 (compatible; ExampleBot/1.0)';
    const requestsBefore = site.requests.length;

    const source = await sourceOf('/user-agent', { user_agent });

    expect(source).toContain(`data-user-agent="${user_agent}"`);
    expect(site.requests[requestsBefore]?.headers['user-agent']).toBe(user_agent);
  });

  it('has the requested locale, and is the same browser', async () => {
    const requestsBefore = site.requests.length;

    const [source, number] = await Promise.all([
      sourceOf('/user-agent', { locale: 'de-CH' }),
      valueOf('(1234.5).toLocaleString()', { locale: 'de-DE' }),
    ]);

    const seen = site.requests.slice(requestsBefore).find(({ path }) => path === '/user-agent');
    expect(source).toContain('data-languages="de-CH,de"');
    expect(seen?.headers['accept-language']).toMatch(/^de-CH,de;q=0\.9/);
    expect(seen?.headers['user-agent']).toMatch(/^Mozilla\/5\.0 .*Chrome/);
    expect(number).toBe('1.234,5');
  });

  it.each(['Asia/Tokyo', 'asia/tokyo'])('is in the time zone %s', async (timezone) => {
    expect(await sourceOf('/user-agent', { timezone })).toContain('data-time-zone="Asia/Tokyo"');
  });

  it('has the same time zone in frames', async () => {
    const answer = await captureOf('/frames', { locale: 'fr', timezone: 'Asia/Tokyo', has_touch: true });

    expect(answer.status).toBe(200);
  });

  it('has a touch screen only if requested', async () => {
    expect(await valueOf('navigator.maxTouchPoints', { has_touch: true })).toBe(5);
    expect(await valueOf('navigator.maxTouchPoints', {})).toBe(0);
  });

  it.each([
    ['Pixel 5', 'Linux armv8l', { platform: 'Android', mobile: true, brands: ['Chromium', 'Google Chrome'] }],
    ['iPhone 15 Pro', 'iPhone', undefined],
  ])('is the browser of the device %s', async (device, platform, hints) => {
    const requestsBefore = site.requests.length;
    const seen = await valueOf(
      `{ platform: navigator.platform, touch: navigator.maxTouchPoints, agent: navigator.userAgent, width: screen.width,
        density: devicePixelRatio, hints: 'userAgentData' in navigator ? { platform: navigator.userAgentData.platform, mobile: navigator.userAgentData.mobile,
        brands: navigator.userAgentData.brands.map(({ brand }) => brand).filter((brand) => !brand.startsWith('Not')) } : undefined }`,
      { device },
    );

    const { headers } = site.requests[requestsBefore] ?? {};
    const known = findDevice(device);
    expect(seen).toEqual({
      platform,
      touch: 5,
      agent: known?.user_agent,
      width: known?.window_width,
      density: known?.pixel_density,
      hints,
    });
    expect(headers?.['user-agent']).toBe(known?.user_agent);
    expect(JSON.stringify(headers)).not.toContain('Headless');
    expect(headers?.['sec-ch-ua-platform']).toBe(hints && '"Android"');
  });

  it('has no client hints on a device of Apple, in frames and workers either', async () => {
    const inWorker = `await new Promise((resolve) => {
      const source = "postMessage('userAgentData' in navigator || 'NavigatorUAData' in self)";
      new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => resolve(data);
    })`;
    const inFrame = `await new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => resolve('userAgentData' in frame.contentWindow.navigator);
      frame.src = '/colours';
      document.body.append(frame);
    })`;

    expect(await valueOf(`[${inWorker}, ${inFrame}]`, { device: 'iPad Mini' })).toEqual([false, false]);
    expect(await valueOf(`[${inWorker}, ${inFrame}]`, { device: 'Pixel 5' })).toEqual([true, true]);
  });

  it.each([
    [true, 980],
    [false, 400],
  ])('with is_mobile %s gets a layout %d wide from a page without a viewport', async (is_mobile, width) => {
    const size = { window_width: 400, window_height: 800 };

    expect(await valueOf('document.documentElement.clientWidth', { is_mobile, ...size })).toBe(width);
  });

  const HERE = { latitude: 1, longitude: 2 };
  const WHERE = `await new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude, accuracy } }) => resolve({ latitude, longitude, accuracy }),
    ({ code }) => resolve({ refused: code }),
  ))`;

  it.each([
    [{ latitude: -33.45, longitude: 151.2 }, 10],
    [{ latitude: 90, longitude: -180, accuracy: 0 }, 0],
  ])('is at the geolocation %j', async (geolocation, accuracy) => {
    expect(await valueOf(WHERE, { geolocation })).toEqual({ ...geolocation, accuracy });
  });

  it('has no position without a geolocation, or for an origin other than that of url', async () => {
    const elsewhere = `/redirect-to?url=${site.crossSiteOrigin}/colours`;

    expect(await valueOf(WHERE, {})).toEqual({ refused: 1 });
    expect(await valueOf(WHERE, { url: site.url(elsewhere), geolocation: HERE })).toEqual({ refused: 1 });
  });

  it('grants no other permission, and none to other captures', async () => {
    const geolocation = HERE;

    expect(await valueOf(stateOf('geolocation'), { geolocation })).toBe('granted');
    expect(await valueOf(stateOf('geolocation'), {})).not.toBe('granted');
    expect(await valueOf(stateOf('camera'), { geolocation })).toBe(await valueOf(stateOf('camera'), {}));
  });

  it('runs no scripts with javascript=false, nor in frames', async () => {
    const source = await sourceOf('/user-agent', { javascript: false });

    expect(source).toContain('<html lang="en">');
  });

  it.each([
    ['supplied markup', { html_content: `<body><script>document.title = 'ran'</script><p onclick="">text` }],
    ['a redirect by script', { html_content: `<script>location = 'about:blank'</script><p>text` }],
  ])('runs nothing of %s', async (_name, fields) => {
    const { body } = await capture(service.url, { format: 'html', javascript: false, ...fields });

    expect(body.toString()).toContain('<p');
    expect(body.toString()).not.toContain('<title>ran');
  });

  it.each([
    ['und', 'locale'],
    ['und-Latn-US', 'locale'],
    ['und-x-private', 'locale'],
    ['x-private', 'locale'],
    ['i-klingon-x', 'locale'],
    ['Etc/Nowhere', 'timezone'],
    ['+01:00', 'timezone'],
    ['Europe/Zürich', 'timezone'],
    ['Browser\u0000', 'user_agent'],
    [' Browser', 'user_agent'],
  ])('refuses %j, which the browser rejects, and names %s', async (value, field) => {
    const error = readError(await captureOf('/colours', { [field]: value }));

    expect(error).toMatchObject({ status: 400, error_details: expect.stringContaining(`${field}: must be`) });
  });

  it.each([
    { 'Set-Cookie': 'a=b' },
    { 'X-HTTP-Method-Override': 'TRACE' },
    { 'x-http-method': 'connect' },
    { 'X-Method-Override': 'GET, track' },
  ])('refuses the header %j, which stops the browser from sending requests', async (custom_headers) => {
    const error = readError(await captureOf('/colours', { custom_headers }));

    const [name] = Object.keys(custom_headers);
    expect(error).toMatchObject({
      status: 400,
      error_details: expect.stringContaining(`custom_headers.${name}: `),
    });
  });

  it.each([
    { locale: 'en-u-ca-buddhist' },
    { locale: 'zz-ZZ' },
    { locale: 'art-lojban' },
    { timezone: 'Antarctica/Troll' },
    { timezone: 'EST5EDT' },
    { custom_headers: { 'X-HTTP-Method-Override': 'PATCH', "!#$%&'*+.^_`|~": '', Range: 'bytes=0-1' } },
    { geolocation: { latitude: -90, longitude: 180, accuracy: 5e-324 } },
    { window_width: 1, window_height: 7680, pixel_density: 0.1 },
    { http_auth: { username: 'a:\u0000', password: '\r\nX: y' } },
  ])('can be captured with the unusual but valid %j', async (fields) => {
    expect((await captureOf('/colours', fields)).status).toBe(200);
  });

  it('sends cookies to every port of the host, as browsers do, and documents it', async () => {
    await using other = await createFixtureSite();
    await captureOf('/colours', {
      cookies: [{ name: 'session', value: 'abc' }],
      custom_js: `await fetch('${other.url('/colours')}', { mode: 'no-cors', credentials: 'include' })`,
    });

    expect(other.requests.at(-1)?.headers.cookie).toBe('session=abc');
    expect(captureSchema.shape.cookies.unwrap().meta()?.description).toContain('on any port');
    expect(await readFile('SECURITY.md', 'utf8')).toContain('`cookies` are sent to every port of the host');
  });

  it('waits and scrolls without scripts', async () => {
    const answer = await captureOf('/lazy', {
      javascript: false,
      full_page: true,
      wait_for_selector: 'body',
      wait_for_network: 'idle',
    });

    expect(answer.status).toBe(200);
    expect((await readPicture(answer.body)).height).toBeGreaterThan(LAZY_PAGE.height / 2);
  });

  it.each(['custom_js', 'wait_for_function'])('refuses %s without scripts', async (field) => {
    const answer = await captureOf('/colours', { javascript: false, [field]: '1' });

    expect(readError(answer)).toEqual(invalid(`${field}: needs scripts, but javascript is false`));
  });
});

/** Returns an expression for the state of a permission. */
function stateOf(permission: string): string {
  return `(await navigator.permissions.query({ name: '${permission}' })).state`;
}
