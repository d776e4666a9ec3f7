import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readError } from '../../support/errors.ts';
import { HOSTILE_VALUES } from '../../support/hostile-values.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { templateFolders } from '../../support/template-folders.ts';

/** Replaces the page by the JSON of a value that a script of the operator computes. */
const report = (expression: string): string =>
  `const report = await (async () => (${expression}))(); document.body.textContent = JSON.stringify(report);`;

const PLACES = `<title>{{ values[0] }}</title>{% for value in values %}<section>
<p>{{ value }}</p>
<textarea>{{ value }}</textarea>
<a class="double" title="{{ value }}" href="{{ value | safe_url }}">a</a>
<a class='single' title='{{ value }}'>b</a>
<a class=bare title={{ value }}>c</a>
<!-- {{ value }} -->
<style>i { color: {{ value }} } b { color: green }</style>
</section>{% endfor %}`;

const SECTIONS = `[...document.querySelectorAll('section')].map((section) => ({
  structure: [...section.querySelectorAll('*')].map((each) => [each.localName, ...each.getAttributeNames()].join(' ')),
  texts: [section.querySelector('p').textContent, section.querySelector('textarea').value],
  titles: [...section.querySelectorAll('a')].map(({ title }) => title),
  protocol: section.querySelector('a').protocol,
  hacked: typeof hacked,
  isShown: getComputedStyle(section).display,
}))`;

const SCRIPT = `{% for value in values %}<script>
const given{{ forloop.index }} = ["{{ value }}", '{{ value }}', \`{{ value }}\`];
(window.read ??= []).push({{ value | script_json }}); /* {{ value }} */ // {{ value }}
</script>{% endfor %}`;

const LOOP =
  '{% for a in (1..9000) %}{% for b in (1..9000) %}{% for c in (1..9000) %}{% endfor %}{% endfor %}{% endfor %}';

describe('templates', () => {
  let folders: Awaited<ReturnType<typeof templateFolders>>;
  let service: RunningService;
  beforeAll(async () => {
    folders = await templateFolders({
      'places/template.json': { fields: { format: 'html', custom_js: report(SECTIONS) } },
      'places/index.html': PLACES,
      'places/files.css': '', // so that the page has an address of its own
      'script/template.json': {
        fields: { format: 'html', custom_js: report('({ read: window.read, hacked: typeof hacked })') },
      },
      'script/index.html': SCRIPT,
      'files/template.json': {
        fields: {
          format: 'html',
          custom_js: report(`({
            color: getComputedStyle(document.querySelector('h1')).color,
            width: document.querySelector('img').naturalWidth,
            statuses: await Promise.all(
              ['in/a b.svg', 'index.html', 'template.json', 'part.liquid', '../other/secret.txt', '..%2fother%2fsecret.txt',
                '%2e%2e/other/secret.txt', '/etc/hostname', 'in'].map(async (path) => (await fetch(path)).status)),
          })`),
        },
      },
      'files/index.html':
        '<!doctype html><link rel=stylesheet href=style.css><h1>a</h1><img src="in/a%20b.svg">{% render "part.liquid" %}',
      'files/style.css': 'h1 { color: rgb(1, 2, 3) }',
      'files/in/a b.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"></svg>',
      'files/part.liquid': 'part',
      'other/template.json': {},
      'other/index.html': 'other',
      'other/secret.txt': 'secret',
      'loop/template.json': {},
      'loop/index.html': `\n${LOOP}`,
      'card/template.json': {
        fields: { window_width: 120, window_height: 63 },
        data: { required: ['title'] },
      },
      'card/index.html': '<h1>{{ title }}</h1>',
    });
    service = await startService({ TEMPLATES_DIR: folders.folder, CACHE_TTL: '60' }, { stores: true });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await folders[Symbol.asyncDispose]();
  });

  const reportOf = async (fields: object) => {
    const { status, body } = await capture(service.url, { ...fields });
    expect([status, status === 200 ? '' : body.toString()]).toEqual([200, '']);
    const [, json = ''] = /<body[^>]*>([^]*)<\/body>/.exec(body.toString()) ?? [];
    return JSON.parse(
      json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll('&nbsp;', '\u00a0'),
    );
  };

  it('keep hostile values in their place, in a page without scripts', async () => {
    const found = await reportOf({ template: 'places', data: { values: ['plain', ...HOSTILE_VALUES] } });

    const [plain, ...hostile] = found;
    expect(hostile).toHaveLength(HOSTILE_VALUES.length);
    for (const [index, section] of hostile.entries()) {
      const value = (HOSTILE_VALUES[index] ?? '').replaceAll('\u0000', '\ufffd');
      expect(section).toMatchObject({ structure: plain.structure, hacked: 'undefined', isShown: 'block' });
      expect(section.titles).toEqual([value, value, value]);
      // A text area drops the first line break.
      expect(section.texts).toEqual([value, value.replace(/^\n/, '')]);
      expect(section.protocol).not.toBe('javascript:');
    }
  });

  it('keep hostile values in the strings of scripts', async () => {
    const found = await reportOf({ template: 'script', data: { values: HOSTILE_VALUES } });

    expect(found).toEqual({ read: HOSTILE_VALUES, hacked: 'undefined' });
  });

  it('load their own files, and nothing else', async () => {
    const found = await reportOf({ template: 'files' });

    expect(found).toEqual({
      color: 'rgb(1, 2, 3)',
      width: 7,
      statuses: [200, 404, 404, 404, 404, 404, 404, 404, 404],
    });
  });

  it('show no address of the page', async () => {
    const { status, headers } = await capture(service.url, { template: 'files' });

    expect(status).toBe(200);
    expect([headers.get('X-Target-Url'), headers.get('X-Target-Status')]).toEqual([null, null]);
  });

  it('give their files to no other capture', async () => {
    const page = '<img src="http://template.invalid/in/a%20b.svg">';

    const { headers } = await capture(service.url, { html_content: page });

    expect(headers.get('X-Blocked-Requests')).toBe('1');
    expect(readError(await capture(service.url, { url: 'http://template.invalid/' }))).toMatchObject({
      error_type: 'DestinationNotAllowedError',
    });
  });

  it('end when they loop, and the next capture works', async () => {
    const looping = readError(await capture(service.url, { template: 'loop' }));
    const next = await capture(service.url, { template: 'card', data: { title: 'A' } });

    expect(looping).toMatchObject({
      error_type: 'TemplateError',
      error_details: expect.stringMatching(/^template loop: (index\.html line 2: |took longer)/),
    });
    expect([next.status, next.headers.get('X-Image-Width')]).toEqual([200, '120']);
  });

  const cacheOf = async () => {
    const { headers } = await capture(service.url, { template: 'card', data: { title: 'cached' } });
    return headers.get('X-Cache');
  };

  it('are answered from the cache until they change', async () => {
    await cacheOf();
    expect(await cacheOf()).toBe('HIT');

    await folders.write({ 'card/index.html': '<h2>{{ title }}</h2>' });

    await eventually(async () => expect(await cacheOf()).toBe('MISS'));
  });

  const submit = async (fields: object) => {
    const answer = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ capture: fields }),
    });
    const { id } = await answer.json();
    const call = (method: string) => fetch(`${service.url}/jobs/${id}`, { method });
    return { read: async () => (await call('GET')).json(), cancel: () => call('DELETE') };
  };

  it('are rendered when their job runs, which fails without its template', async () => {
    // Jobs take one of two places, so the others wait.
    const first = await submit({ html_content: 'first', delay_capture: 20_000 });
    const kept = await submit({ template: 'card', data: { title: 'A' } });
    const lost = await submit({ template: 'other' });

    await rm(join(folders.folder, 'other'), { recursive: true });

    await eventually(async () => expect((await capture(service.url, { template: 'other' })).status).toBe(404));
    await first.cancel();
    await eventually(async () => expect(await kept.read()).toMatchObject({ state: 'done' }));
    await eventually(async () =>
      expect(await lost.read()).toMatchObject({
        state: 'failed',
        attempts: 1,
        error: { error_type: 'TemplateNotFoundError' },
      }),
    );
  });
});
