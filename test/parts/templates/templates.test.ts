import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParseFields } from '../../../src/core/capture/request/request-parser.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createRenderer, type Renderer } from '../../../src/parts/templates/rendering/renderer.ts';
import { openTemplates } from '../../../src/parts/templates/templates.ts';
import { eventually } from '../../support/eventually.ts';
import { type TemplateFiles, templateFolders } from '../../support/template-folders.ts';

const limits = { maxWaitMs: 60_000 };
const PAGE = '<h1>{{ title }}</h1>';
const FREE = { templatesOnly: false, deniedFields: new Set<string>() };

/** One process for all tests, because its start takes longer than most of them. */
const shared = createRenderer();
const renderer: Renderer = { ...shared, close: async () => undefined };
afterAll(() => shared.close());

async function open(files: TemplateFiles, given: { readonly renderer?: Renderer } = {}) {
  const folders = await templateFolders(files);
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const opening = openTemplates({ folder: folders.folder, limits, log, pollMs: 20, renderer, ...given });
  const templates = await opening.catch(async (error: unknown) => {
    await folders[Symbol.asyncDispose]();
    throw error;
  });
  return {
    ...folders,
    ...templates,
    lines,
    read: async (fields: unknown, rules = {}) => {
      const { capture, delivery } = await createParseFields(templates.expand, limits)(fields, rules);
      return { ...capture, ...delivery };
    },
    [Symbol.asyncDispose]: async () => {
      await templates.close();
      await folders[Symbol.asyncDispose]();
    },
  };
}

const POLICY = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;

function withoutPolicy(html: string | undefined): string | undefined {
  return html?.replace(POLICY, '');
}

async function pageOf({ read }: Awaited<ReturnType<typeof open>>): Promise<string | undefined> {
  return withoutPolicy((await read({ template: 'card', data: { title: 'A' } })).html_content);
}

const OWN_LOGIN = { username: 'client', password: 'own' };

describe('templates at start', () => {
  it.each<[string, TemplateFiles, string]>([
    ['no definition', { 'card/index.html': PAGE }, 'template card: template.json is missing'],
    [
      'credentials without an address',
      { 'card/template.json': { fields: { custom_headers: { a: 'b' } } } },
      'fields: custom_headers: needs url',
    ],
    ['no JSON', { 'card/template.json': '{' }, 'template card: template.json: is not JSON'],
    ['an unknown member', { 'card/template.json': { feilds: {} } }, 'feilds: is not known'],
    ['a wrong type', { 'card/template.json': { locked: 'yes' } }, 'locked: must be true or false'],
    [
      'an unknown field',
      { 'card/template.json': { fields: { window_widht: 1 } } },
      'fields: window_widht: is not a known field, did you mean window_width?',
    ],
    [
      'a wrong field',
      { 'card/template.json': { fields: { window_width: 0 } } },
      'fields: window_width: must be a whole number from 1 to 7680',
    ],
    [
      'an address beside a page',
      { 'card/template.json': { fields: { url: 'https://a.example/' } }, 'card/index.html': PAGE },
      "fields: url: can't be set beside index.html",
    ],
    ['a template as field', { 'card/template.json': { fields: { template: 'b' } } }, 'fields: template'],
    ['a wrong schema', { 'card/template.json': { data: { type: 'text' } } }, 'template.json: data: '],
    ['an unknown keyword', { 'card/template.json': { data: { requird: [] } } }, 'unknown keyword: "requird"'],
    ['another dialect', { 'card/template.json': { data: { $schema: 'a' } } }, 'data: $schema must be'],
    ['a schema elsewhere', { 'card/template.json': { data: { $ref: 'http://a/' } } }, "can't resolve reference"],
    ['an open tag', { 'card/template.json': {}, 'card/index.html': 'a\n{% if b %}' }, 'index.html line 2: '],
    [
      'an unknown filter',
      { 'card/template.json': {}, 'card/index.html': '{{ a | shout }}' },
      'index.html line 1: undefined filter: shout',
    ],
    ['a wrong name', { 'Card/template.json': {} }, 'template Card: the name of the folder must be 1 to 63'],
    ['no text', { 'card/template.json': {}, 'card/index.html': Buffer.from([0xff]) }, 'is not text in UTF-8'],
  ])('names the template and the fault: %s', async (_, files, message) => {
    await expect(open(files)).rejects.toThrow(message);
  });

  it('names the setting if there is no folder', async () => {
    const log = pino({ level: 'silent' });

    await expect(openTemplates({ folder: '/nowhere', limits, log, renderer })).rejects.toThrow(
      "TEMPLATES_DIR: can't be read (ENOENT)",
    );
  });

  it('reports all invalid templates', async () => {
    const opening = open({ 'a/template.json': '', 'b/template.json': '' });

    await expect(opening).rejects.toThrow(/template a: .*\n.*template b: /);
  });

  it('ignores hidden folders and files beside the templates', async () => {
    await using templates = await open({ 'README.md': '', '.git/x': '', 'card/template.json': {} });

    expect(templates.list(undefined).map(({ name }) => name)).toEqual(['card']);
  });
});

describe('a change of a template', () => {
  const files = { 'card/template.json': {}, 'card/index.html': PAGE };

  it('takes effect', async () => {
    await using templates = await open(files);

    await templates.write({ 'card/index.html': 'new {{ title }}' });

    await eventually(async () => expect(await pageOf(templates)).toBe('new A'));
  });

  it('keeps the last valid template, and says so once', async () => {
    await using templates = await open(files);

    await templates.write({ 'card/index.html': '{% nothing %}', 'other/template.json': {} });

    await eventually(() => expect(templates.list(undefined)).toHaveLength(2));
    expect(await pageOf(templates)).toBe('<h1>A</h1>');
    await templates.write({ 'third/template.json': {} });
    await eventually(() => expect(templates.list(undefined)).toHaveLength(3));
    const problems = templates.lines.filter(({ level }) => level === 40);
    expect(problems).toMatchObject([{ template: 'card', msg: 'a template is invalid: the last valid template stays' }]);
    await templates.write(files);
    await templates.write({ 'card/index.html': 'valid' });
    await eventually(async () => expect(await pageOf(templates)).toBe('valid'));
  });

  // The change never took effect, because only a further change was checked.
  it('reads a change again whose check failed for a passing reason', async () => {
    let failures = 0;
    await using templates = await open(files, {
      renderer: {
        ...renderer,
        check: async (template) => {
          if (Object.values(template.sources).join('').includes('new') && failures++ < 2)
            throw new ServiceError('OverloadedError');
          await renderer.check(template);
        },
      },
    });

    await templates.write({ 'card/index.html': 'new {{ title }}' });

    await eventually(async () => expect(await pageOf(templates)).toBe('new A'));
    expect(templates.lines.filter(({ level }) => level === 40)).toMatchObject([
      { template: 'card', msg: "a template can't be read now: the last valid template stays" },
    ]);
  });

  it('keeps files for the renderer only if a tag includes them', async () => {
    await using templates = await open({
      'card/template.json': {},
      'card/index.html': '{% render "row.liquid" %}<link rel="stylesheet" href="a.css">',
      'card/row.liquid': `{% include 'icon.svg' %}`,
      'card/icon.svg': '<svg/>',
      'card/a.css': 'a',
      'any/template.json': {},
      'any/index.html': '{% include name %}',
      'any/a.css': 'a',
    });
    const sources = templates.list(undefined).map((each) => [each.name, ...Object.keys(each.sources).toSorted()]);

    expect(sources).toEqual([
      ['any', 'a.css', 'index.html'],
      ['card', 'icon.svg', 'index.html', 'row.liquid'],
    ]);
  });

  it('removes a template with its folder', async () => {
    await using templates = await open(files);

    await rm(join(templates.folder, 'card'), { recursive: true });

    await eventually(() => expect(templates.list(undefined)).toEqual([]));
    await expect(pageOf(templates)).rejects.toMatchObject({ type: 'TemplateNotFoundError' });
  });

  it('changes the id of its files', async () => {
    await using templates = await open({ ...files, 'card/a.css': 'a' });
    const before = await templates.read({ template: 'card' });

    await templates.write({ 'card/a.css': 'b' });

    await eventually(async () => {
      const after = await templates.read({ template: 'card' });
      expect(after.ownSite?.id).not.toBe(before.ownSite?.id);
      expect(after.ownSite?.files.get('a.css')?.body.toString()).toBe('b');
    });
  });
});

describe('links in a template folder', () => {
  it('works in a folder of a ConfigMap, also after the swap of its data', async () => {
    await using templates = await open({ 'README.md': '' });
    const { folder } = templates;
    const publish = async (version: string, page: string): Promise<void> => {
      const data = join(folder, 'card', `..${version}`);
      await mkdir(data, { recursive: true });
      await writeFile(join(data, 'template.json'), '{}');
      await writeFile(join(data, 'index.html'), page);
      await symlink(`..${version}`, join(folder, 'card/..data_tmp'));
      await rename(join(folder, 'card/..data_tmp'), join(folder, 'card/..data'));
    };
    await publish('1', 'one');
    await symlink('..data/template.json', join(folder, 'card/template.json'));
    await symlink('..data/index.html', join(folder, 'card/index.html'));
    const page = async () => withoutPolicy((await templates.read({ template: 'card' })).html_content);
    await eventually(async () => expect(await page()).toBe('one'));

    await publish('2', 'two');

    await eventually(async () => expect(await page()).toBe('two'));
  });

  it.each(['/etc/hostname', '../other/template.json', '..', '/etc'])(
    'refuses a link that leads out of the folder: %s',
    async (goal) => {
      await using folders = await templateFolders({ 'card/template.json': {}, 'other/template.json': {} });
      await symlink(goal, join(folders.folder, 'card/leak.txt'));
      const log = pino({ level: 'silent' });

      const opening = openTemplates({ folder: folders.folder, limits, log, renderer });

      await expect(opening).rejects.toThrow(
        'template card: leak.txt: is a link that leads out of the folder of the template',
      );
    },
  );

  it('refuses a template folder that is a link out of TEMPLATES_DIR', async () => {
    await using folders = await templateFolders({ 'a/template.json': {} });
    await using outside = await templateFolders({ 'card/template.json': {} });
    await symlink(join(outside.folder, 'card'), join(folders.folder, 'card'));
    const log = pino({ level: 'silent' });

    await expect(openTemplates({ folder: folders.folder, limits, log, renderer })).rejects.toThrow(
      'template card: is a link that leads out of TEMPLATES_DIR',
    );
  });
});

describe('a request with a template', () => {
  const files = {
    'card/template.json': {
      fields: { window_width: 1200, window_height: 630 },
      data: {
        type: 'object',
        properties: {
          title: { type: 'string', maxLength: 5 },
          tone: { enum: ['warm', 'cold'], default: 'warm' },
          items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
        },
        required: ['title'],
        additionalProperties: false,
      },
    },
    'card/index.html': '{{ title }} {{ tone }}',
    'card/font.woff2': 'font',
    'card/row.liquid': 'row',
    'active/template.json': {},
    'active/index.html': '<p>{% render "part.liquid" %}',
    'active/part.liquid': '<SCRIPT src=a.js></SCRIPT>',
    'typed/template.json': {},
    'typed/index.html': '<!-- a -->\n<!DOCTYPE html><p>',
    'handler/template.json': {},
    'handler/index.html': '<img src=a\nonerror ="a()">',
    'shut/template.json': { locked: true, fields: { format: 'webp', custom_js: '1' } },
    'shut/index.html': '',
    'thumb/template.json': { locked: true, fields: { window_width: 400 } },
    'inner/template.json': {
      fields: {
        url: 'https://inner.example/a',
        http_auth: { username: 'operator', password: 'secret' },
        cookies: [{ name: 'a', value: 'secret' }],
        custom_headers: { 'X-Token': 'secret' },
      },
    },
    'open/template.json': { fields: { url: 'https://a.example/', full_page: true } },
  };
  let templates: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    templates = await open(files);
  });
  afterAll(() => templates[Symbol.asyncDispose]());

  it('has the page and the fields of the template', async () => {
    const options = await templates.read({ template: 'card', data: { title: 'A b' } });

    expect(options).toMatchObject({
      window_width: 1200,
      window_height: 630,
      html_content: `${POLICY}A&#32;b warm`,
    });
    expect(options.template).toBeUndefined();
    expect([...(options.ownSite?.files.keys() ?? [])]).toEqual(['font.woff2']);
    expect(options.ownSite?.files.get('font.woff2')?.contentType).toBe('font/woff2');
  });

  it.each([
    ['card', `${POLICY}A warm`],
    ['typed', `<!-- a -->\n<!DOCTYPE html>${POLICY}<p>`],
    ['active', '<p><SCRIPT src=a.js></SCRIPT>'],
    ['handler', '<img src=a\nonerror ="a()">'],
  ])('runs scripts only if the template has scripts: %s', async (template, page) => {
    const { html_content: html } = await templates.read({ template, data: { title: 'A' } });

    expect(html).toBe(page);
  });

  it('prefers its own fields', async () => {
    const options = await templates.read({ template: 'card', data: { title: 'A' }, window_width: 600 });

    expect(options).toMatchObject({ window_width: 600, window_height: 630 });
  });

  it('prefers its own device to the window of the template', async () => {
    const options = await templates.read({ template: 'card', data: { title: 'A' }, device: 'iPhone 15 Pro' });

    expect(options).toMatchObject({ window_width: 393, is_mobile: true });
  });

  it('prefers its own source to that of a preset', async () => {
    const options = await templates.read({ template: 'open', html_content: 'a' });

    expect(options).toMatchObject({ html_content: 'a', full_page: true });
    expect(options.url).toBeUndefined();
  });

  // A client that names its own address would read the password there.
  it.each<[string, object]>([
    ['url', { url: 'https://evil.example/' }],
    ['url', { url: 'https://inner.example:8443/' }],
    ['url', { url: 'http://inner.example/' }],
    ['url', { url: 'https://evil.example/', http_auth: OWN_LOGIN }],
    ['html_content', { html_content: 'a' }],
  ])('is refused if the template has credentials for another origin: %s %j', async (field, fields) => {
    await expect(templates.read({ template: 'inner', ...fields })).rejects.toMatchObject({
      type: 'FieldNotAllowedError',
      details: `${field}: the template inner has cookies for https://inner.example only`,
    });
  });

  it('does not show its credentials as the state of the page', async () => {
    const fields = { template: 'inner', response_type: 'json', include: ['metadata', 'storage_state'] };

    await expect(templates.read(fields)).rejects.toMatchObject({
      type: 'FieldNotAllowedError',
      details: 'include: the template inner has cookies, which storage_state would show',
    });
  });

  it.each([{}, { url: 'https://inner.example/b' }])(
    'has the credentials of a preset for its origin: %j',
    async (fields) => {
      const {
        http_auth: login,
        cookies,
        custom_headers: sent,
      } = await templates.read({ template: 'inner', ...fields });

      expect([login?.username, cookies?.length, sent]).toEqual(['operator', 1, { 'X-Token': 'secret' }]);
    },
  );

  it.each<[string, object, string]>([
    ['wrong type', { title: 1 }, 'data.title: must be string'],
    ['missing', {}, 'data.title: is required'],
    ['too long', { title: '123456' }, 'data.title: must NOT have more than 5 characters'],
    ['not listed', { title: 'A', tone: 'hot' }, 'data.tone: must be one of "warm", "cold"'],
    ['unknown', { title: 'A', 'x/y': 1 }, 'data.x/y: is not accepted'],
    ['inside a list', { title: 'A', items: [{ price: '1' }] }, 'data.items[0].price: must be number'],
  ])('names the path in the data: %s', async (_, data, details) => {
    await expect(templates.read({ template: 'card', data })).rejects.toMatchObject({
      type: 'ValidationError',
      details,
    });
  });

  it.each<[unknown, string, string]>([
    [{ template: 'card', data: 'a' }, 'ValidationError', 'data: must be an object'],
    [{ template: 'card', data: [] }, 'ValidationError', 'data: must be an object'],
    [{ template: '../card' }, 'ValidationError', 'template: must be the name of a template'],
    [{ template: 'none' }, 'TemplateNotFoundError', 'template: none'],
    [{ template: 'card', data: { title: 'A' }, url: 'https://a/' }, 'ValidationError', 'url: the template card has'],
    [{ template: 'card', data: { title: 'x'.repeat(100_000) } }, 'ValidationError', 'data: has 100012 bytes'],
    [{ data: {} }, 'ValidationError', 'data: needs template'],
    [
      { template: 'open', data: { list: JSON.parse('['.repeat(32) + ']'.repeat(32)) } },
      'ValidationError',
      'data: may be nested at most 32 levels deep',
    ],
    [{ template: 'shut', format: 'png' }, 'FieldNotAllowedError', 'format: the template shut is locked'],
    [{ template: 'shut', html_content: 'a' }, 'FieldNotAllowedError', 'html_content: the template shut'],
    [{ template: 'thumb', url: 'https://a/', full_page: true }, 'FieldNotAllowedError', 'full_page: '],
    [{ template: 'thumb' }, 'ValidationError', 'Either url or html_content must be provided'],
  ])('is refused: %j', async (fields, type, details) => {
    await expect(templates.read(fields)).rejects.toMatchObject({
      type,
      details: expect.stringContaining(details),
    });
  });

  it('may set the source of a locked preset', async () => {
    const options = await templates.read({ template: 'thumb', url: 'https://a.example/' });

    expect(options).toMatchObject({ url: 'https://a.example/', window_width: 400 });
  });

  it('applies the rules of the key to its own fields only', async () => {
    const key = {
      ...FREE,
      templates: ['shut'],
      templatesOnly: true,
      deniedFields: new Set(['custom_js', 'format']),
    };

    const options = await templates.read({ template: 'shut' }, { key });

    expect(options).toMatchObject({ custom_js: '1', format: 'webp' });
    expect(templates.list(key).map(({ name }) => name)).toEqual(['shut']);
  });

  it.each<[object, object, string]>([
    [{ deniedFields: new Set(['full_page']) }, { url: 'https://a/', full_page: false }, 'full_page: '],
    [{ deniedFields: new Set(['template']) }, { template: 'open' }, 'template: '],
    [{ templates: ['card'] }, { template: 'open' }, 'template: this key needs one of card'],
    [{ templates: ['card'] }, { template: 'none' }, 'template: '],
    [{ templates: ['card'], templatesOnly: true }, { url: 'https://a/' }, 'template: '],
    [{ templatesOnly: true }, { url: 'https://a/' }, 'template: '],
  ])('is refused by the rules of its key: %j', async (rules, fields, details) => {
    await expect(templates.read(fields, { key: { ...FREE, ...rules } })).rejects.toMatchObject({
      type: 'FieldNotAllowedError',
      details: expect.stringContaining(details),
    });
  });

  it('takes fields of a tool below those of the template, and fixed ones above', async () => {
    const tool = { defaults: { window_width: 1, dark_mode: true }, fixed: { format: 'pdf' } };

    const options = await templates.read({ template: 'card', data: { title: 'A' } }, tool);
    const locked = await templates.read({ template: 'shut' }, tool);

    expect(options).toMatchObject({ window_width: 1200, dark_mode: true, format: 'pdf' });
    expect(locked.format).toBe('webp');
    expect(locked.dark_mode).toBeUndefined();
  });
});

interface WithAttachments {
  readonly pdf_attachments?: readonly { readonly base64?: string | undefined }[] | undefined;
}

const textsOf = ({ pdf_attachments: all = [] }: WithAttachments): string[] =>
  all.map(({ base64 = '' }) => Buffer.from(base64, 'base64').toString());

describe('attachments of a template', () => {
  const attachments = [
    { name: 'data.xml', file: 'data.liquid', relationship: 'data' },
    { name: 'terms.txt', file: 'terms.txt' },
    { name: 'own.txt', base64: 'YQ==' },
  ];
  const files = {
    'paper/template.json': { fields: { format: 'pdf', pdf_attachments: attachments } },
    'paper/index.html': PAGE,
    'paper/data.liquid': '<?xml version="1.0"?><t a="{{ title }}">{% render "part.liquid", text: title %}</t>',
    'paper/part.liquid': '<b>{{ text }}</b>',
    'paper/terms.txt': 'Terms',
    'preset/template.json': { fields: { format: 'pdf', pdf_attachments: attachments } },
    'preset/data.liquid': 'rendered {{ title }}',
    'preset/terms.txt': 'Terms',
  };
  it('are rendered from the data of the page, with values that stay texts', async () => {
    await using templates = await open(files);
    const read = await templates.read({ template: 'paper', data: { title: `<a> & "b"` } });

    const value = '&#60;a&#62;&#32;&#38;&#32;&#34;b&#34;';
    expect(textsOf(read)).toEqual([`<?xml version="1.0"?><t a="${value}"><b>${value}</b></t>`, 'Terms', 'a']);
    expect(read.pdf_attachments?.[0]).toMatchObject({ name: 'data.xml', relationship: 'data' });
  });

  it('belong to presets, too', async () => {
    await using templates = await open(files);

    const read = await templates.read({ template: 'preset', data: { title: 'x' }, url: 'https://example.com/' });
    expect(textsOf(read)).toEqual(['rendered x', 'Terms', 'a']);
  });

  it('of a request go before them, and read no source', async () => {
    await using templates = await open(files);
    const fields = { template: 'paper', pdf_attachments: [{ name: 'a', file: 'data.liquid' }] };

    await expect(templates.read(fields)).rejects.toMatchObject({
      details: 'pdf_attachments[0].file: must name a part of files',
    });
  });

  it('are not rendered by a check', async () => {
    await using templates = await open(files);

    expect(textsOf(await templates.read({ template: 'paper' }, { checksOnly: true }))).toEqual(['Terms', 'a']);
  });

  it('name files of the folder', async () => {
    const lost = {
      ...files,
      'paper/template.json': { fields: { pdf_attachments: [{ name: 'a', file: 'lost.xml' }] } },
    };

    await expect(open(lost)).rejects.toThrow(
      'template paper: template.json: fields: pdf_attachments: lost.xml is no file of the template',
    );
  });

  it('with a fault name their file and line', async () => {
    await using templates = await open({ ...files, 'paper/data.liquid': '\n{{ title | date: nothing | lost }}' }).catch(
      (error: unknown) => ({ error, [Symbol.asyncDispose]: async () => undefined }),
    );

    expect(String(Object(templates).error)).toContain('data.liquid line 2: undefined filter: lost');
  });
});
