import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadError, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

type Action = Readonly<Record<string, unknown>>;

const FORBIDDEN = 'http://10.0.0.1/';
const click = (selector: string): Action => ({ type: 'click', selector });

describe('actions that navigate', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    site = await createFixtureSite();
    const allowed = [site.origin, site.crossSiteOrigin].map((origin) => new URL(origin).host).join();
    service = await startService({ EGRESS_ALLOW: allowed });
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const act = (path: string, actions: readonly Action[], more: object = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), format: 'html', actions, wait_for_timeout: 10_000, ...more });
  const seenAfter = async (path: string, actions: readonly Action[], more: object = {}): Promise<object> => {
    const { status, headers, body } = await act(path, actions, more);
    const target = headers.get('x-target-url') ?? body.toString();
    return {
      status,
      target: target.replace(site.origin, '').replace(site.crossSiteOrigin, 'other'),
      targetStatus: headers.get('x-target-status'),
      title: /<title>(.*?)<\/title>/.exec(body.toString())?.[1],
    };
  };
  const failureOf = async (path: string, actions: readonly Action[], more: object = {}): Promise<ReadError> =>
    readError(await act(path, actions, { format: 'png', ...more }));
  const goTo = (path: string): Action => ({
    type: 'goto',
    url: path.startsWith('/') ? site.url(path) : path,
  });
  const requestsFor = (path: string): number => site.requests.filter((request) => request.path === path).length;

  const fill: readonly Action[] = [
    { type: 'type', selector: '#user', text: 'Zoë <z@example.com>' },
    { type: 'type', selector: '#pass', text: 'p&ss=1 +' },
  ];
  it.each([
    ['a click', click('#go')],
    ['Enter', { type: 'press', key: 'Enter' }],
    ['a line break', { type: 'type', text: '\n' }],
  ])(
    'submit a form by %s: the server receives the typed values and the browser keeps its cookie',
    async (_how, send) => {
      const answer = await act('/acting/login', [...fill, send]);

      const source = answer.body.toString();
      expect(/<p id="sent">(.*?)<\/p>/.exec(source)?.[1]).toBe(
        `user=${encodeURIComponent('Zoë <z@example.com>').replaceAll('%20', '+')}&amp;pass=${encodeURIComponent('p&ss=1 +').replaceAll('%20', '+')}`,
      );
      expect(source).toContain('<p id="cookie">session=abc</p>');
      expect(answer.headers.get('x-target-url')).toBe(site.url('/acting/account'));
    },
  );

  const there = { status: 200, target: '/acting/there', targetStatus: '200', title: 'Fixture' };
  const stays = { ...there, target: '/acting/leave' };
  it.each([
    ['#link', there],
    ['#other', { ...there, target: 'other/acting/there' }],
    ['#slow', { ...there, target: '/slow?ms=300' }],
    ['#timer', there],
    ['#missing', { ...there, target: '/acting/missing', targetStatus: '404' }],
    ['#hash', { ...stays, target: '/acting/leave#there' }],
    ['#state', { ...stays, target: '/acting/state', title: 'state' }],
    ['#tab', stays],
    ['#window', stays],
    ['#file', stays],
    ['#served', stays],
    ['#empty', stays],
    ['#mail', stays],
    ['#data', stays],
    ['#script', { ...stays, title: 'script' }],
    ['#dialog', { ...stays, title: 'answered' }],
    ['#print', { ...stays, title: 'printed' }],
    ['#choose', { ...stays, title: 'cancelled' }],
  ])('capture the page that %s leads to', async (selector, expected) => {
    expect(await seenAfter('/acting/leave', [click(selector), { type: 'press', key: 'Tab' }])).toEqual(expected);
  });

  it('continue on the page they navigated to', async () => {
    const actions = [
      click('#link'),
      click('#back'),
      click('#timer'),
      { type: 'wait', selector: 'h1' },
      click('#back'),
      click('#hash'),
    ];

    expect(await seenAfter('/acting/leave', actions)).toEqual({ ...stays, target: '/acting/leave#there' });
  });

  it('may navigate more often than the page itself, and within one page', async () => {
    const places = Array.from({ length: 24 }, (_, index) => goTo(`/acting/there?${index}`));

    expect(await seenAfter('/acting/leave', [...places, goTo('/acting/there?23#end')])).toEqual({
      ...there,
      target: '/acting/there?23#end',
    });
  });

  it('navigate from supplied markup to a page', async () => {
    const { status, headers, body } = await capture(service.url, {
      html_content: '<p>markup',
      format: 'html',
      actions: [goTo('/acting/there')],
    });

    expect(status).toBe(200);
    expect(body.toString()).toContain('<h1>There</h1>');
    expect(headers.get('x-target-url')).toBe(site.url('/acting/there'));
    expect(headers.get('x-target-status')).toBe('200');
  });

  it.each<[string, () => readonly Action[], string]>([
    ['goto', () => [click('#link'), goTo(FORBIDDEN)], 'actions[1] goto'],
    ['goto that is redirected', () => [goTo(`/redirect-to?url=${FORBIDDEN}`)], 'actions[0] goto'],
    [
      'click',
      () => [click('#link'), click('#back'), goTo(`/acting/leave?to=${FORBIDDEN}`), click('#to')],
      'actions[3] click',
    ],
  ])('refuse a blocked address that %s leads to', async (_how, actions, place) => {
    expect(await failureOf('/acting/leave', actions())).toEqual({
      status: 400,
      error_type: 'DestinationNotAllowedError',
      message: 'The address of the page is not allowed',
      error_details: expect.stringMatching(
        place === 'actions[1] goto'
          ? /^actions\[1\] goto: add 10\.0\.0\.1 to EGRESS_ALLOW/
          : /^actions\[\d\] (?:goto|click): the setting EGRESS_ALLOW names/, // the page leads there, not the request
      ),
    });
  });

  it('refuse a goto to a blocked address before the page is requested', async () => {
    const before = requestsFor('/acting/leave?early');

    expect(await failureOf('/acting/leave?early', [goTo('http://127.0.0.1:1/')])).toMatchObject({
      error_type: 'DestinationNotAllowedError',
      error_details: expect.stringMatching(/^actions\[0\] goto: add 127\.0\.0\.1:1 to EGRESS_ALLOW/),
    });
    expect(requestsFor('/acting/leave?early')).toBe(before);
  });

  it('name the action whose target page does not load', async () => {
    expect(await failureOf('/acting/leave', [goTo('/acting/file')])).toMatchObject({
      error_type: 'NavigationError',
      error_details: 'actions[0] goto',
    });
    expect(await failureOf('/acting/leave', [goTo('/slow?ms=5000')], { wait_for_timeout: 500 })).toMatchObject({
      error_type: 'TimeoutError',
      error_details: 'actions[0] goto: wait_for_timeout: the page load took longer than 500 ms',
    });
  });

  it('send no headers or cookies of the origin of url to other origins', async () => {
    const other = `${site.crossSiteOrigin}/acting/there?credentials`;
    const secrets = {
      custom_headers: { 'X-Secret': 'header' },
      cookies: [{ name: 'secret', value: 'cookie' }],
      http_auth: { username: 'secret', password: 'password' },
    };

    await act('/acting/leave?credentials', [click('#other'), goTo(other), goTo('/acting/leave?again')], secrets);

    const sentTo = (path: string): string =>
      JSON.stringify(site.requests.filter((request) => request.path === path).map(({ headers }) => headers));
    expect(sentTo('/acting/there?credentials')).toContain('user-agent');
    expect(sentTo('/acting/there?credentials')).not.toMatch(/secret|authorization/i);
    expect(sentTo('/acting/leave?again')).toMatch(
      /"x-secret":"header".*"cookie":"secret=cookie"|"cookie":"secret=cookie".*"x-secret":"header"/,
    );
  });

  it.each([{ format: 'png', full_page: true }, { format: 'pdf' }, { format: 'jpeg', selector: 'h1' }])(
    'accept the same options as any capture: %j',
    async (fields) => {
      const { status, headers } = await act('/acting/leave', [click('#link')], fields);

      expect([status, headers.get('x-target-url')]).toEqual([200, site.url('/acting/there')]);
    },
  );
});
