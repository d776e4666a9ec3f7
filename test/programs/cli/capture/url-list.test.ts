import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../../src/core/capture/formats/format-names.ts';
import { UsageError } from '../../../../src/programs/cli/exit.ts';
import { runConcurrently, parseList } from '../../../../src/programs/cli/capture/url-list.ts';

const url = 'https://example.com/';

describe('parseList', () => {
  it.each([
    ['a list', `[{"url":"${url}","output":"a.pdf"},{"url":"${url}"}]`],
    ['lines', `{"url":"${url}","output":"a.pdf"}\n\n  {"url":"${url}"}\n`],
  ])('parses %s', (_case, text) => {
    expect(parseList(text, { fields: {}, folder: 'out' })).toEqual([
      { fields: { url, format: 'pdf' }, output: resolve('out/a.pdf') },
      { fields: { url }, output: resolve('out/2.png'), isDefault: true },
    ]);
  });

  it('applies common fields to each job unless it sets its own', () => {
    const text =
      '[{"output":"a.jpg"},{"format":"webp","window_width":5,"output":"b.png"},{"url":"https://b.example/"}]';

    const jobs = parseList(text, { fields: { url, window_width: 9, full_page: true }, folder: '.' });

    expect(jobs).toEqual([
      { fields: { url, window_width: 9, full_page: true, format: 'jpeg' }, output: resolve('a.jpg') },
      { fields: { url, window_width: 5, full_page: true, format: 'webp' }, output: resolve('b.png') },
      {
        fields: { url: 'https://b.example/', window_width: 9, full_page: true },
        output: resolve('3.png'),
        isDefault: true,
      },
    ]);
  });

  it('requests a json answer for a .json file name, and names the file accordingly', () => {
    const text = `[{"output":"a.json"},{"output":"b.json","format":"pdf"},{"output":"c.json","response_type":"file"}]`;
    const [byName, withFormat, file] = parseList(text, { fields: { url }, folder: '.' });
    const [unnamed] = parseList('[{}]', { fields: { url, response_type: 'json' }, folder: '.' });

    expect(byName?.fields).toEqual({ url, response_type: 'json' });
    expect(withFormat?.fields).toEqual({ url, response_type: 'json', format: 'pdf' });
    expect(file?.fields).toEqual({ url, response_type: 'file' });
    expect(unnamed?.output).toBe(resolve('1.json'));
  });

  it('names a file by the common format', () => {
    const [job] = parseList('[{}]', { fields: { url, format: 'pdf' }, folder: '.' });

    expect(job?.output).toBe(resolve('1.pdf'));
  });

  it.each([
    ['', 'The list is empty.'],
    ['[]', 'The list is empty.'],
    ['[1,', 'The list must be a JSON list, or have one JSON object per line: it is not valid JSON.'],
    [
      `{"url": "${url}"}\nnot json`,
      'The list must be a JSON list, or have one JSON object per line: line 2 is not valid JSON.',
    ],
    [`[{"url": "${url}"}, "${url}"]`, 'Entry 2 of the list is not an object with the fields of a capture.'],
    ['[{"output": "a.png"}]', 'Entry 1 of the list has no url, html_content, markdown_content or template.'],
    [`[{"url": "${url}", "output": 5}]`, 'The output of entry 1 of the list is not a path.'],
    [
      `[{"url": "${url}", "output": "a.gif"}]`,
      `No format has the extension of a.gif: use ${FORMAT_NAMES.join(', ')}, or set the format with --format.`,
    ],
    [
      `[{"url": "${url}", "output": "a.png"}, {"url": "${url}", "output": "./a.png"}]`,
      `Two captures of the list have the output ${resolve('a.png')}.`,
    ],
  ])('refuses %j', (text, message) => {
    expect(() => parseList(text, { fields: {}, folder: '.' })).toThrow(new UsageError(message));
  });
});

describe('runConcurrently', () => {
  it.each([
    [1, 1],
    [3, 3],
    [9, 5],
  ])('with %d at a time starts %d of five concurrently, in order', async (concurrency, expected) => {
    const started: number[] = [];
    const finish: (() => void)[] = [];

    const done = runConcurrently([1, 2, 3, 4, 5], concurrency, (item) => {
      started.push(item);
      return new Promise((resolve) => finish.push(resolve));
    });
    const atOnce = started.length;
    while (finish.length > 0) {
      finish.shift()?.();
      await new Promise(setImmediate);
    }
    await done;

    expect(atOnce).toBe(expected);
    expect(started).toEqual([1, 2, 3, 4, 5]);
  });

  it('rejects with the error of the work', async () => {
    const failing = runConcurrently([1, 2], 1, () => Promise.reject(new Error('enough')));

    await expect(failing).rejects.toThrow('enough');
  });
});
