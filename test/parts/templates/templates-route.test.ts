import request from 'supertest';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../src/core/capture/request/options.ts';
import { openTemplates, type Templates } from '../../../src/parts/templates/templates.ts';
import { appWith, type GivenApp } from '../../support/app.ts';
import { templateFolders } from '../../support/template-folders.ts';

const TOKEN = 'token';
const LOGIN = { username: 'a', password: 'secret' };
const POLICY = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };

describe('requests with templates', () => {
  let templates: Templates;
  let folders: Awaited<ReturnType<typeof templateFolders>>;
  beforeAll(async () => {
    folders = await templateFolders({
      'card/template.json': { fields: { window_width: 1200, custom_js: '1' }, data: SCHEMA },
      'card/index.html': '<h1>{{ title }}</h1>',
      'raw/template.json': {},
      'raw/index.html': '{{ html | raw }}',
      'shut/template.json': { locked: true, fields: { format: 'pdf' } },
      'shut/index.html': 'a',
      'thumb/template.json': {
        fields: { url: 'https://example.com/', http_auth: LOGIN, window_width: 400 },
      },
      'thumb-of-page/template.json': { fields: { url: 'https://a:secret@example.com/?token=secret' } },
    });
    const log = pino({ level: 'silent' });
    templates = await openTemplates({
      folder: folders.folder,
      limits: { maxWaitMs: 60_000 },
      log,
      pollMs: 20,
    });
  });
  afterAll(async () => {
    await templates.close();
    await folders[Symbol.asyncDispose]();
  });

  const seen: CaptureOptions[] = [];
  const agent = (given: GivenApp = {}) => {
    seen.length = 0;
    return request(
      appWith({
        templates,
        authToken: TOKEN,
        urlSigningSecret: 'secret',
        mcp: true,
        maxBodyBytes: 200_000,
        onCapture: (options) => seen.push(options),
        ...given,
      }),
    );
  };
  const bearer = { Authorization: `Bearer ${TOKEN}` };

  const callAgent = async (method: string, params: object) => {
    const { body } = await agent()
      .post('/mcp')
      .set({ ...bearer, Accept: 'application/json, text/event-stream' })
      .send({ jsonrpc: '2.0', id: 1, method, params })
      .expect(200);
    return body.result;
  };

  it('are expanded in a body and in a query', async () => {
    await agent()
      .post('/capture')
      .set(bearer)
      .send({ template: 'card', data: { title: 'A' } })
      .expect(200);
    const [inBody] = seen;
    await agent().get('/capture').set(bearer).query({ template: 'card', data: '{"title":"A"}' }).expect(200);

    expect(inBody).toMatchObject({ html_content: `${POLICY}<h1>A</h1>`, window_width: 1200, custom_js: '1' });
    expect(seen).toEqual([inBody]);
  });

  it.each([
    [{ template: 'card', data: {} }, 400, 'ValidationError', 'data.title: is required'],
    [{ template: 'none' }, 404, 'TemplateNotFoundError', 'template: none'],
    [{ template: 'shut', full_page: true }, 403, 'FieldNotAllowedError', 'full_page: '],
  ])('are refused: %j', async (fields, status, type, details) => {
    const { body } = await agent().post('/capture').set(bearer).send(fields).expect(status);

    expect(body).toMatchObject({ error_type: type, error_details: expect.stringContaining(details) });
    expect(seen).toEqual([]);
  });

  it.each([
    ['<!doctype html><p>x', '<!doctype html>', '<p>x'],
    [' <!-- a --> <!--> <!-- b -- > --> <!DOCTYPE html>x', ' <!-- a --> <!--> <!-- b -- > --> <!DOCTYPE html>', 'x'],
    ['<!-- <!doctype html> --><p>x', '', '<!-- <!doctype html> --><p>x'],
    ['<!-- without an end', '', '<!-- without an end'],
    // All ways to split the comments were tried: 22 took 21 ms, and each further one twice as long.
    [`${'<!---->'.repeat(10_000)}x`, '', `${'<!---->'.repeat(10_000)}x`],
  ])('have the policy after the document type of the page (case %#)', async (html, before, after) => {
    await agent().post('/capture').set(bearer).send({ template: 'raw', data: { html } }).expect(200);

    expect(seen[0]?.html_content).toBe(before + POLICY + after);
  });

  it('are refused without TEMPLATES_DIR', async () => {
    const { NO_TEMPLATES } = await import('../../../src/parts/templates/templates.ts');

    const { body } = await agent({ templates: NO_TEMPLATES })
      .post('/capture')
      .set(bearer)
      .send({ template: 'card' })
      .expect(400);

    expect(body.error_details).toBe('template: needs the setting TEMPLATES_DIR');
  });

  it('can be signed as a short link, although the template sets a script', async () => {
    const app = agent();
    const params = { template: 'card', data: { title: 'A & B' } };
    const { body } = await app.post('/sign').set(bearer).send({ params }).expect(200);
    const link = new URL(body.signed_url);

    await app.get(`${link.pathname}${link.search}`).expect(200);

    expect([...link.searchParams.keys()].toSorted()).toEqual(['data', 'expires', 'signature', 'template']);
    expect(seen).toMatchObject([{ html_content: `${POLICY}<h1>A&#32;&#38;&#32;B</h1>`, custom_js: '1' }]);
  });

  it('are not signed if the data are not valid', async () => {
    const { body } = await agent()
      .post('/sign')
      .set(bearer)
      .send({ params: { template: 'card', data: { title: 1 } } })
      .expect(400);

    expect(body.error_details).toBe('data.title: must be string');
  });

  it('follow a changed template, also in a link that was followed before', async () => {
    const app = agent();
    const follow = async () => {
      await app.get('/capture').set(bearer).query({ template: 'card', data: '{"title":"A"}' }).expect(200);
      return seen.at(-1)?.html_content?.replace(POLICY, '');
    };
    await follow();
    await folders.write({ 'card/index.html': 'changed {{ title }}' });

    await expect.poll(follow, { timeout: 20_000 }).toBe('changed A');
    await folders.write({ 'card/index.html': '<h1>{{ title }}</h1>' });
    await expect.poll(follow, { timeout: 20_000 }).toBe('<h1>A</h1>');
  });

  it('are listed without the secrets of the operator', async () => {
    const { body } = await agent().get('/templates').set(bearer).expect(200);

    expect(body).toEqual({
      templates: [
        {
          name: 'card',
          kind: 'page',
          locked: false,
          fields: { window_width: 1200, custom_js: '(not shown)' },
          data: SCHEMA,
        },
        { name: 'raw', kind: 'page', locked: false, fields: {} },
        { name: 'shut', kind: 'page', locked: true, fields: { format: 'pdf' } },
        {
          name: 'thumb',
          kind: 'preset',
          locked: false,
          fields: { url: 'https://example.com/', http_auth: '(not shown)', window_width: 400 },
        },
        {
          name: 'thumb-of-page',
          kind: 'preset',
          locked: false,
          fields: { url: 'https://example.com/?(not shown)' },
        },
      ],
    });
  });

  describe('of agents', () => {
    it('are fields of the tools that accept markup', async () => {
      const { tools } = await callAgent('tools/list', {});
      const having = tools.filter(
        ({ inputSchema }: { inputSchema: { properties: object } }) => 'template' in inputSchema.properties,
      );

      expect(having.map(({ name }: { name: string }) => name)).toEqual(['capture_page', 'page_to_pdf']);
    });

    it('have the fields of the template before the defaults of the tool', async () => {
      await callAgent('tools/call', {
        name: 'capture_page',
        arguments: { template: 'card', data: { title: 'A' } },
      });

      expect(seen).toMatchObject([{ html_content: `${POLICY}<h1>A</h1>`, format: 'jpeg', window_width: 1200 }]);
    });

    it('refuse a locked template of another format', async () => {
      const { isError, content } = await callAgent('tools/call', {
        name: 'capture_page',
        arguments: { template: 'shut' },
      });

      expect(isError).toBe(true);
      expect(content[0].text).toContain('template: makes pdf, but capture_page returns jpeg, png, webp');
    });

    it('accept a locked template of their format', async () => {
      await callAgent('tools/call', { name: 'page_to_pdf', arguments: { template: 'shut' } });

      expect(seen).toMatchObject([{ html_content: `${POLICY}a`, format: 'pdf' }]);
    });
  });
});
