import { describe, expect, it } from 'vitest';
import { createListEngine } from '../../../../src/features/blocking/lists/list-engine.ts';
import type { FilterRules } from '../../../../src/core/steps/common/filter-rules.ts';
import { NoListError, parseLists } from '../../../../src/features/blocking/lists/parse-lists.ts';

const PAGE = 'https://news.example.com/story';
const NO_NAMES = { classes: [], ids: [], links: [] };

async function engineOf(...lists: readonly string[]): Promise<FilterRules> {
  return createListEngine(parseLists(lists).engine);
}

async function blocks(rules: string, url: string, resourceType = 'Script'): Promise<boolean> {
  return (await engineOf(rules)).forPage()({ url, resourceType, source: PAGE });
}

describe('filter rules', () => {
  it.each<[string, string, boolean, string?]>([
    ['||ads.example^', 'https://cdn.ads.example/x.js', true],
    ['||ads.example^', 'https://ads.example.org/x.js', false],
    ['||example.com^$third-party', 'https://cdn.example.com/x.js', false],
    ['||ads.example^$third-party', 'https://ads.example/x.js', true],
    ['||ads.example^$image', 'https://ads.example/x.js', false],
    ['||ads.example^$xmlhttprequest', 'https://ads.example/x.json', true, 'Fetch'],
    ['||ads.example^$subdocument', 'https://ads.example/', true, 'Document'],
    ['||ads.example^$other', 'https://ads.example/x', true, 'EventSource'],
    ['||ads.example^$domain=example.com', 'https://ads.example/x.js', true],
    ['||ads.example^$domain=~example.com', 'https://ads.example/x.js', false],
    ['/^https:\\/\\/[a-z]{3}\\.example\\//', 'https://ads.example/x.js', true],
    ['||ads.example^\n@@||ads.example/kept.js', 'https://ads.example/kept.js', false],
    ['||ads.example^$important\n@@||ads.example/kept.js', 'https://ads.example/kept.js', true],
    ['||ads.example^\n||ads.example^$badfilter\n/other', 'https://ads.example/x.js', false],
    // A rule with an unavailable redirect still blocks.
    ['||ads.example^$script,redirect=noop.js', 'https://ads.example/x.js', true],
    // Rules that modify an answer neither block nor allow a request.
    ['||ads.example^$removeparam=x,important\n/other', 'https://ads.example/x.js?x=1', false],
    ['||ads.example^$redirect-rule=noop.js,important\n/other', 'https://ads.example/x.js', false],
    ['||ads.example^\n@@||ads.example^$redirect-rule=noop.js', 'https://ads.example/x.js', true],
    ['||ads.example^$csp=script-src none\n/other', 'https://ads.example/x.js', false],
    ['!#if env_firefox\n||ads.example^\n!#endif\n/other', 'https://ads.example/x.js', false],
    ['!#if env_chromium\n||ads.example^\n!#endif', 'https://ads.example/x.js', true],
    ['/other', 'blob:https://ads.example/x', false],
    ['/other', 'not an address', false],
  ])('match %j %s: %s', async (rules, url, expected, type) => {
    expect(await blocks(rules, url, type)).toBe(expected);
  });

  it('do not affect another list', async () => {
    const engine = await engineOf('!#if env_firefox\n||ads.example^', '||trackers.example^');

    expect(engine.forPage()({ url: 'https://trackers.example/', resourceType: 'Script', source: PAGE })).toBe(true);
  });

  // One such rule, which the rating accepts, took 3.8 s for each of the three matches of a page, without a time limit.
  it('give up on the address of a page after a time limit', async () => {
    const engine = await engineOf('@@/b.*b.*zz\\.html/$generichide\n##div[x]');
    const hostile = `https://news.example.com/?${'b'.repeat(1_900)}`;

    expect(engine.stylesForPage(hostile)).toBe(''); // without the limit, all styles after three seconds
    expect(engine.stylesForNames(hostile, { ...NO_NAMES, classes: ['x'] })).toBe('');
    expect(engine.stylesForPage(PAGE)).toBe('div[x] { display: none !important; }');
  });

  it('may exempt a document from all rules', async () => {
    const engine = await engineOf('||ads.example^\n@@||example.com^$document\n@@||example.org/x');

    expect(engine.excepts(PAGE)).toBe(true);
    expect(engine.excepts('https://example.org/x')).toBe(false);
  });

  it('hide by site, by name and everywhere', async () => {
    const engine =
      await engineOf(`##.named\n##div[x]\nexample.com##.own\nexample.org##.other\nexample.com#@#.spared\n##.spared
example.com##+js(x)\nexample.com##.own:has-text(x)\nexample.com##^script`);

    expect(engine.stylesForPage(PAGE).split('\n').toSorted()).toEqual([
      '.own { display: none !important; }',
      'div[x] { display: none !important; }',
    ]);
    expect(engine.stylesForNames(PAGE, { ...NO_NAMES, classes: ['named', 'spared'] })).toBe(
      '.named { display: none !important; }',
    );
    expect(engine.stylesForNames(PAGE, NO_NAMES)).toBe('');
    expect(engine.stylesForPage('about:blank')).toBe('div[x] { display: none !important; }');
  });

  it('are disabled for a page that requests URLs chosen to make matching slow', async () => {
    const isListed = (await engineOf('/a.*b.*c/$script\n||ads.example^')).forPage();
    const url = `https://x.example/${'ab'.repeat(950)}`;
    for (let count = 0; count < 50; count++) isListed({ url: `${url}${count}`, resourceType: 'Script', source: PAGE });

    expect(isListed({ url: 'https://ads.example/', resourceType: 'Script', source: PAGE })).toBe(false);
  });
});

describe('parseLists', () => {
  it('counts rules that it accepts, cannot parse and skips', () => {
    const rules = '! comment\n[Adblock Plus 2.0]\n\n||a.example^\n##.b\n/[/\n||c.example^$no-such-option\n##div:x(';
    const leftOut = '\n||d.example^$removeparam=x\nexample.com##+js(x)\n/(a+)+b/';

    expect(parseLists([rules + leftOut]).counts).toEqual({ network: 1, cosmetic: 1, unread: 3, leftOut: 3 });
  });

  it.each([
    ['markup', '\n<!doctype html>\n<p>Not found'],
    ['binary data', 'a\0b'],
    ['empty', '! nothing\n'],
  ])('refuses a file that is %s', (_what, text) => {
    expect(() => parseLists([text])).toThrow(NoListError);
  });
});
