import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { HOME_MADE, LIBRARY_NAMES, OTHER_TABS, OWN_BANNERS, SETTINGS_TABS } from '../../support/pages/banners.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Seen {
  readonly picture: Picture;
  readonly warnings: string | null;
  /** Choices that the page reports. */
  readonly chosen: readonly string[];
}

/** The cookie or storage entry of each library after a full refusal. Undefined for banners that only inform. */
const REFUSED: Readonly<Record<string, RegExp | undefined>> = {
  vanilla: /"categories":\["necessary"\]/,
  'vanilla-two-layers': /"categories":\["necessary"\]/,
  klaro: /"stats":false/,
  cookieconsent: /=deny$/,
  'cookieconsent-info': undefined,
  tarteaucitron: /!stats=false/,
};
/** The cookie while no choice is made. */
const UNDECIDED = /^tarteaucitron=!stats=wait$/;

describe('cookie banners', () => {
  let site: FixtureSite;
  let service: SharedService;
  let bare: Picture;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
    bare = (await see('none', {})).picture;
  });
  afterAll(() => site.close());

  const see = async (name: string, fields: Fields): Promise<Seen> => {
    const before = site.requests.length;
    const answer = await capture(service.url, { url: site.url(`/banners/${name}`), ...fields });
    expect(answer.status).toBe(200);
    const reports = site.requests.slice(before).map(({ path }) => new URL(path, site.origin));
    return {
      picture: await readPicture(answer.body),
      warnings: answer.headers.get('x-capture-warnings'),
      chosen: reports
        .filter(({ pathname }) => pathname === '/chosen')
        .map(({ searchParams }) => decodeURIComponent(searchParams.get('what') ?? '')),
    };
  };
  const refused = (name: string, fields: Fields = {}): Promise<Seen> =>
    see(name, { block_cookie_banners: true, ...fields });

  it.each(LIBRARY_NAMES)('are refused on %s', async (name) => {
    expect(isSame((await see(name, {})).picture, bare)).toBe(false);

    const { picture, warnings, chosen } = await refused(name);

    expect(isSame(picture, bare)).toBe(true);
    expect(warnings).toBeNull();
    const decided = chosen.filter((what) => !UNDECIDED.test(what));
    const expected = REFUSED[name];
    expect(decided.length > 0).toBe(expected !== undefined);
    expect(decided.filter((what) => expected?.test(what) !== true)).toEqual([]);
  });

  it.each(Object.keys(HOME_MADE))('are refused in the language %s', async (language) => {
    expect(isSame((await see(`home-made-${language}`, {})).picture, bare)).toBe(false);

    const { picture, warnings, chosen } = await refused(`home-made-${language}`);

    expect(isSame(picture, bare)).toBe(true);
    expect(warnings).toBeNull();
    expect(chosen).toEqual(['rejected']);
  });

  it.each(Object.entries(OWN_BANNERS))('without a matching rule are refused or removed: %s', async (name, { goes }) => {
    const { picture, warnings, chosen } = await refused(name);

    expect(isSame(picture, bare)).toBe(true);
    expect(warnings).toBeNull();
    expect(new Set(chosen)).toEqual(new Set(goes === 'taken off' ? [] : ['rejected']));
  });

  it.each(Object.keys(SETTINGS_TABS))('leave no button behind: %s', async (name) => {
    expect(isSame((await see(name, {})).picture, bare)).toBe(false);

    const { picture, warnings } = await refused(name);

    expect(isSame(picture, bare)).toBe(true);
    expect(warnings).toBeNull();
  });

  it.each(Object.keys(OTHER_TABS))('are not other floating buttons: %s', async (name) => {
    expect(isSame((await refused(name)).picture, (await see(name, {})).picture)).toBe(true);
  });

  it.each([
    ['framed', ['rejected']],
    ['framed-ok-only', []],
  ])('in a frame of another site are: %s', async (name, choice) => {
    const { picture, chosen } = await refused(name);

    expect(isSame(picture, bare)).toBe(true);
    expect(chosen).toEqual(choice);
  });

  it('that appear on scroll are refused', async () => {
    const whole = { full_page: true };
    const { picture, chosen } = await refused('on-scroll', whole);

    expect(isSame(picture, (await see('on-scroll-none', whole)).picture)).toBe(true);
    expect(chosen).toEqual(['rejected']);
  });

  it('that appear during delay_capture are refused', async () => {
    const { picture, chosen } = await refused('later-1500', { run_ahead: 0, delay_capture: 2_000 });

    expect(isSame(picture, bare)).toBe(true);
    expect(chosen).toEqual(['rejected']);
  });

  it('that appear late are removed before a script of the client runs', async () => {
    const custom_js = `chosen(document.getElementById('bar') === null ? 'free' : 'covered')`;

    expect((await refused('later-1500', { custom_js })).chosen).toEqual(['rejected', 'free']);
  });

  it('are not confused with a page that only mentions cookies', async () => {
    const [without, { picture, chosen }] = [await see('about-cookies', {}), await refused('about-cookies')];

    expect(isSame(picture, without.picture)).toBe(true);
    expect(chosen).toEqual([]);
  });

  it('are removed if the scripts of the page do not run', async () => {
    const { picture, chosen } = await refused('home-made-en', { javascript: false });

    expect(isSame(picture, bare)).toBe(true);
    expect(chosen).toEqual([]);
  });

  it('are refused in supplied markup', async () => {
    const bar = `<div style="position:fixed;bottom:0;left:0;right:0;background:red"><p>We use cookies.</p>
<button onclick="document.body.innerHTML='<h1>accepted'">Accept all</button><button onclick="this.parentNode.remove()">Reject all</button></div>`;
    const [requested, plain] = await Promise.all(
      [`<h1>Story</h1>${bar}`, '<h1>Story</h1>'].map(async (html_content) =>
        readPicture((await capture(service.url, { html_content, block_cookie_banners: true })).body),
      ),
    );

    expect(requested !== undefined && plain !== undefined && isSame(requested, plain)).toBe(true);
  });

  it('that the page adds again and again produce a warning', async () => {
    const { picture, warnings } = await refused('again-and-again');

    expect(warnings).toBe('cookie_banner_open');
    expect(isSame(picture, bare)).toBe(false);
  });

  it.each(['overridden', 'going-for-ever', 'spinning'])(
    'on a page that fights back do not break the capture: %s',
    async (name) => {
      const { chosen } = await refused(name);

      expect(chosen.filter((what) => what !== 'rejected')).toEqual([]);
    },
  );

  it('are detected without traces that the page can see', async () => {
    const { chosen } = await refused('watching');

    expect(chosen).toEqual(['rejected', '']);
  });
});

function isSame(one: Picture, other: Picture): boolean {
  if (one.width !== other.width || one.height !== other.height) return false;
  return Buffer.compare(one.rgba, other.rgba) === 0;
}
