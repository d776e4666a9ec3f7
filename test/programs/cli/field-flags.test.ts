import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/programs/cli/arguments.ts';
import { CAPTURE_SYNTAX } from '../../../src/programs/cli/capture/capture-command.ts';
import { UsageError } from '../../../src/programs/cli/exit.ts';
import { FIELD_FLAGS, readFields } from '../../../src/programs/cli/field-flags.ts';
import { describeCommand } from '../../../src/programs/cli/help.ts';
import { JOBS_SYNTAX } from '../../../src/programs/cli/jobs-command.ts';
import { KEYS_SYNTAX } from '../../../src/programs/cli/keys-command.ts';
import { SERVE_SYNTAX } from '../../../src/programs/cli/serve-command.ts';
import { SIGN_SYNTAX } from '../../../src/programs/cli/sign-command.ts';
import { USAGE_SYNTAX } from '../../../src/programs/cli/usage-command.ts';
import { FIELD_NAMES } from '../../../src/core/capture/request/options.ts';
import { SETTINGS } from '../../support/settings.ts';
import { exampleFields, toFlags } from '../../support/example-fields.ts';

const fieldsOf = (args: readonly string[], input = ''): Promise<unknown> =>
  readFields(parseArguments(CAPTURE_SYNTAX, args).values, Readable.from([input]));

describe('capture flags', () => {
  it('cover all fields of the schema', () => {
    expect(FIELD_FLAGS.map(({ field }) => field)).toEqual(FIELD_NAMES);
  });

  it.each(exampleFields('https://example.com/'))('set $name', async ({ name, value }) => {
    expect(await fieldsOf(toFlags({ [name]: value }))).toEqual({ [name]: value });
  });

  it.each([
    ['a list', ['--hide-selectors', '[".a", "#b"]'], { hide_selectors: ['.a', '#b'] }],
    ['a list with a selector in brackets', ['--hide-selectors', '[hidden]'], { hide_selectors: ['[hidden]'] }],
    ['a list of objects', ['--cookies={"name":"a","value":"b"}'], { cookies: [{ name: 'a', value: 'b' }] }],
    [
      'an object in parts',
      ['--custom-headers', 'X-A: one: two', '--custom-headers', '{"X-B":"c"}'],
      { custom_headers: { 'X-A': 'one: two', 'X-B': 'c' } },
    ],
    ['a disabled switch', ['--no-javascript'], { javascript: false }],
    ['an invalid number, which the schema refuses', ['--window-width', 'wide'], { window_width: 'wide' }],
    ['invalid JSON, which the schema refuses', ['--clip', '{0'], { clip: '{0' }],
    ['an empty command line', [], {}],
  ])('parse %s', async (_case, args, fields) => {
    expect(await fieldsOf(args)).toEqual(fields);
  });

  it('read values from files and standard input', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'field-flags-test-'));
    const [css, json] = [join(folder.path, 'a.css'), join(folder.path, 'a.json')];
    await writeFile(css, 'h1 { color: red }');
    await writeFile(json, '{"title": "Hello"}');

    const args = ['--custom-css', `@${css}`, '--data', `@${json}`, '--pdf-header-html', '@-'];
    const escaped = ['--fail-if-text', '@@home', '--custom-css', '@media print { h1 { color: red } }'];

    expect(await fieldsOf(args, '<b>Head</b>')).toEqual({
      custom_css: 'h1 { color: red }',
      data: { title: 'Hello' },
      pdf_header_html: '<b>Head</b>',
    });
    expect(await fieldsOf(escaped)).toEqual({ fail_if_text: '@home', custom_css: escaped[3] });
    await expect(fieldsOf(['--custom-css', '@none.css'])).rejects.toThrow(
      '--custom-css: There is no file none.css that can be read. Write @@ for text that starts with @.',
    );
  });

  it.each([
    [['--ful-page'], 'Unknown flag --ful-page, did you mean --full-page?'],
    [['--full_page'], 'Unknown flag --full_page, did you mean --full-page?'],
    [['--no-javascrip'], 'Unknown flag --no-javascrip, did you mean --javascript?'],
    [['-x'], 'Unknown flag --x.'],
    [['--window-width'], "Option '--window-width <value>' argument missing."],
    [['--full-page=yes'], "Option '--full-page' does not take an argument."],
    [['a.html', 'b.html'], '"b.html" is an unexpected argument.'],
  ])('refuse %j', (args, message) => {
    expect(() => parseArguments(CAPTURE_SYNTAX, args)).toThrow(new UsageError(message));
  });
});

describe.each([CAPTURE_SYNTAX, SIGN_SYNTAX, JOBS_SYNTAX, KEYS_SYNTAX, USAGE_SYNTAX, SERVE_SYNTAX])(
  'the command $name',
  (syntax) => {
    it('has no duplicate flags', () => {
      const names = [...syntax.flags, ...syntax.fields].map(({ name }) => name);

      expect(new Set([...names, 'help']).size).toBe(names.length + 1);
    });

    it('documents every flag', () => {
      const help = describeCommand(syntax, 'all');
      const short = describeCommand(syntax, 'usual');

      const missing = [...syntax.flags, ...syntax.fields].filter(
        ({ name, description }) =>
          !new RegExp(`--(no-)?${name}\\b`).test(help) || !help.includes(description.split(' ')[0] ?? ' '),
      );
      expect(missing).toEqual([]);
      expect(help.split('\n').filter((line) => line.length > 100)).toEqual([]);
      expect(short.includes('--help all')).toBe(syntax.fields.length > 0);
      expect(short.length).toBeLessThanOrEqual(help.length);
    });
  },
);

describe('service flags', () => {
  it('cover all settings except secrets, which the process list would reveal', () => {
    const names = SERVE_SYNTAX.flags.map(({ name }) => name.toUpperCase().replaceAll('-', '_'));

    expect(names).toEqual(SETTINGS.filter(({ secret }) => !secret).map(({ name }) => name));
    expect(names).not.toContain('AUTH_TOKEN');
  });
});
