import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRenderer } from '../../../../src/parts/templates/rendering/renderer.ts';
import type { Template } from '../../../../src/parts/templates/template.ts';
import { eventually } from '../../../support/eventually.ts';
import { childrenOf, isRunning } from '../../../support/processes.ts';

const RENDERER = new URL('../../../../src/parts/templates/rendering/renderer.ts', import.meta.url).href;
/** Data that the pattern `^(a+)+$` checks for hours. */
const TOO_SLOW = JSON.stringify({ a: `${'a'.repeat(40)}!` });

const renderer = createRenderer();
afterAll(() => renderer.close());

function template(page: string, more: Readonly<Record<string, string>> = {}, schema?: object): Template {
  const sources = { 'index.html': page, ...more };
  const revision = createHash('sha256')
    .update(JSON.stringify([sources, schema]))
    .digest('hex');
  const site = { id: revision, files: new Map() };
  return {
    name: 'card',
    fields: {},
    isLocked: false,
    schema: { ...schema },
    sources,
    hasScripts: true,
    site,
    revision,
  };
}

const render = (page: string, data: object = {}, more = {}) =>
  renderer.render(template(page, more), JSON.stringify(data));

const captured = (output: string): string => `{% capture row %}<b>{{ a }}</b>{% endcapture %}${output}`;

describe('the renderer', () => {
  it('renders values, loops and includes of the folder', async () => {
    const page = '{% for item in items %}{% render "row.liquid", item: item %}{% endfor %}';

    expect(await render(page, { items: [1, 2] }, { 'row.liquid': '<li>{{ item }}' })).toBe('<li>1<li>2');
  });

  // With 28 templates of 2 MB, the check at the start failed although each was valid.
  it('renders many large templates in turn, and keeps only some of them in its 64 MB', async () => {
    const large = Array.from({ length: 40 }, (_, n) =>
      template(`{% render "a.liquid" %}${n}`, { 'a.liquid': `${n}`.padStart(2_000_000) }),
    );

    for (const each of large) await renderer.check(each);
    for (const [n, each] of [...large.entries()].slice(-2).concat([[0, large[0] ?? template('')]]))
      expect((await renderer.render(each, '{}'))?.trim()).toBe(`${n}${n}`);
  });

  it.each([
    ['../secret.liquid'],
    ['/etc/hostname'],
    ['./../../etc/hostname'],
    ['constructor'],
    ['__proto__'],
    ['template.json'],
  ])('finds no include outside of the sources: %s', async (path) => {
    await expect(render(`{% include "${path}" %}`)).rejects.toMatchObject({
      type: 'TemplateError',
      status: 500,
      details: expect.stringMatching(/^template card: index\.html line 1: /),
    });
    await expect(render('{% include path %}', { path })).rejects.toMatchObject({ type: 'TemplateError' });
  });

  it('reads no inherited properties', async () => {
    // markup may not be empty
    expect(await render('{{ a.constructor }}{{ constructor }}{{ a.__proto__ }}', { a: {} })).toBe('\n');
  });

  it('names the line of a failing include, without paths', async () => {
    const failing = render('{% render "row.liquid" %}', {}, { 'row.liquid': '\n\n{% render "none" %}' });

    await expect(failing).rejects.toMatchObject({
      details: expect.stringMatching(/^template card: row\.liquid line 3: [^/]*$/),
    });
  });

  it('escapes a value once that goes through a capture tag', async () => {
    const data = { a: '<i>' };

    expect(await render(captured('{{ row }}'), data)).toBe('<b>&#60;i&#62;</b>');
    expect(await render(captured('{% if row contains "<b>" %}{{ row | size }}{% endif %}'), data)).toBe('18');
    expect(await render(captured('{{ row | append: a }}'), data)).not.toContain('<');
    expect(await render('{{ a }}', { a: { row: '<b>' } })).not.toContain('<');
  });

  it('keeps nothing of the previous rendering', async () => {
    await render('{% assign left = "x" %}');

    expect(await render('{% assign left = left | append: "y" %}{{ left }}')).toBe('y');
  });

  it('ends a rendering that loops, and makes the next one', async () => {
    const loop =
      '{% for a in (1..3000) %}{% for b in (1..3000) %}{% for c in (1..3000) %}{% endfor %}{% endfor %}{% endfor %}';

    await expect(render(loop)).rejects.toMatchObject({ type: 'TemplateError', status: 500 });
    expect(await render('next')).toBe('next');
  });

  // One key could make all others wait, and then get 503.
  it('serves keys in turn, and lets one key fill half of the queue', async () => {
    const order: string[] = [];
    const renderFor = (client: string, n: number) =>
      renderer.render(template(`${client}${n}`), '{}', { client }).then(
        () => order.push(`${client}${n}`),
        (error: unknown) => order.push(String(error)),
      );
    const many = Array.from({ length: 202 }, (_, n) => renderFor('many', n));
    await renderFor('few', 0);

    expect(order.indexOf('few0')).toBeLessThanOrEqual(2);
    await Promise.all(many);
    expect(order.filter((each) => each.includes('Too many requests with templates of this client'))).toHaveLength(1);
  });

  it('checks data without rendering, for captures that run later', async () => {
    const page = template('{% for a in (1..9000000) %}{% endfor %}', {}, { required: ['title'] });

    expect(await renderer.render(page, '{"title":1}', { checksOnly: true })).toBeUndefined();
    await expect(renderer.render(page, '{}', { checksOnly: true })).rejects.toMatchObject({
      type: 'ValidationError',
      details: 'data.title: is required',
    });
  });

  it('ends the process if a single step takes too long, and starts another', async () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    const slow = template('', {}, schema);

    await expect(renderer.render(slow, TOO_SLOW)).rejects.toMatchObject({
      type: 'TemplateError',
      details: 'template card: took longer than 1000 ms',
    });
    expect(await render('next')).toBe('next');
  });

  it('leaves no process behind if the service is killed during a slow step', async () => {
    const slow = template('', {}, { properties: { a: { pattern: '^(a+)+$' } } });
    const program = `
      const { createRenderer } = await import(${JSON.stringify(RENDERER)});
      const renderer = createRenderer({ limitMs: 200 });
      await renderer.check(${JSON.stringify({ ...slow, site: undefined })});
      process.send('checked');
      await renderer.render(${JSON.stringify({ ...slow, site: undefined })}, ${JSON.stringify(TOO_SLOW)});`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    await once(service, 'message');
    const [child] = childrenOf(service.pid ?? 0);
    service.kill('SIGKILL');

    expect(child).toBeDefined();
    await eventually(() => expect(isRunning(child?.pid ?? 0)).toBe(false));
  });

  it('has more time to check a template than to render it', async () => {
    const slow = template('{% assign a = 1 %}'.repeat(10_000));
    const impatient = createRenderer({ limitMs: 1 });

    await expect(impatient.check(slow)).resolves.toBeUndefined();
    await expect(impatient.render(slow, '{}')).rejects.toMatchObject({
      details: 'template card: took longer than 1 ms',
    });
    await impatient.close();
  });

  it.each([
    ['a range', '{% for i in (1..100000000) %}a{% endfor %}'],
    ['a growing text', '{% assign a = "x" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}'],
    ['a recursion', '{% render "row.liquid" %}'],
    // In a worker thread, these lists end the whole process.
    [
      'long lists',
      '{% assign a = (1..19999999) %}{% assign b = a | reverse %}{% assign c = a | sort %}{{ c | join: "," }}',
    ],
    [
      'a wide line',
      '{% for i in (1..1000) %}{% for j in (1..1000) %}{% for k in (1..1000) %}0123456789{% endfor %}{% endfor %}{% endfor %}',
    ],
  ])('ends a rendering that grows: %s', async (_, page) => {
    const growing = render(page, {}, { 'row.liquid': '{% render "row.liquid" %}' });

    await expect(growing).rejects.toMatchObject({ type: 'TemplateError' });
    expect(await render('next')).toBe('next');
  });

  it('serves concurrent calls in order, one slow one included', async () => {
    const all = await Promise.allSettled([render('a'), render('{% include "none" %}'), render('b')]);

    expect(all.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual(['a', 'failed', 'b']);
  });
});
