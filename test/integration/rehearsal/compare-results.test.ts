import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPdfReader, type PdfReader } from '../../../src/features/pdf-reader/pdf-reader.ts';
import { compareResults } from '../../../src/parts/rehearsal/compare-results.ts';
import type { Finding, PictureDifference, Result } from '../../../src/parts/rehearsal/finding.ts';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const rows = Array.from({ length: 14 }, (_, row) => `<tr><td>Item ${row}<td>${row * 7}.00`).join('');
const PAGE = `<style>body { font: 14px sans-serif }</style><h1>Invoice</h1><p id=first>To be paid within ten days.</p><table>${rows}</table><a href="https://x.example/pay">Pay</a>`;

let service: SharedService;
let reader: PdfReader;
beforeAll(async () => {
  service = await sharedService();
  reader = createPdfReader();
});
afterAll(() => reader.close());

async function make(body: string, format: 'pdf' | 'png' | 'markdown', fields: object = {}): Promise<Result> {
  const html_content = `<!doctype html><html lang="en"><title>Invoice</title>${body}`;
  const request = { html_content, format, reproducible: true, window_width: 500, ...fields };
  const answer = await capture(service.url, { ...request, full_page: format === 'png' });
  expect(answer.status).toBe(200);
  return { body: answer.body, warnings: (answer.headers.get('x-capture-warnings') ?? '').split(',') };
}

async function comparePictures(before: Uint8Array, after: Uint8Array): Promise<PictureDifference> {
  const sides = [before, after].map((bytes) => ({ base64: Buffer.from(bytes).toString('base64') }));
  const answer = await fetch(`${service.url}/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ before: sides[0], after: sides[1] }),
  });
  const difference: PictureDifference = JSON.parse(await answer.text());
  return difference;
}

async function compare(before: string, after: string, format: 'pdf' | 'png' | 'markdown'): Promise<readonly Finding[]> {
  const [one, other] = await Promise.all([make(before, format), make(after, format)]);
  return await compareResults(format, one, other, { reader, comparePictures });
}

describe('two results of a capture', () => {
  it.each(['pdf', 'png', 'markdown'] as const)('are the same as %s if nothing has changed', async (format) => {
    expect(await compare(PAGE, PAGE, format)).toEqual([]);
  });

  it.each([
    ['another font', PAGE.replace('sans-serif', 'monospace'), 'fonts', /lost .* got /],
    [
      'letter spacing',
      `<style>td { letter-spacing: 0.15px }</style>${PAGE}`,
      'places',
      /"Item" has moved by 0.0, 0.0 pt/,
    ],
    [
      'one line more',
      PAGE.replace('<table>', '<p>One more line</p><table>'),
      'words',
      /page 1 got 3 words \(One more line\)/,
    ],
    ['another colour', `<style>#first { color: #a00 }</style>${PAGE}`, 'pixels', /page 1: \d+ regions? differs?/],
    ['more pages', `${PAGE}<p style="break-before: page">More`, 'pages', /has 2 pages instead of 1/],
    ['another sheet', `<style>@page { size: A5 }</style>${PAGE}`, 'paper', /page 1 has 4\d\d\.\d x 59\d\.\d pt/],
    ['another link', PAGE.replace('/pay', '/other'), 'facts', /the links differ/],
    [
      'other tags',
      PAGE.replaceAll('h1>', 'h2>').replace('<style>', '<style>h2 { font-size: 2em; margin: .67em 0 }'),
      'facts',
      /the tags differ/,
    ],
  ])('differ as pdf by %s, with its place', async (_name, after, kind, message) => {
    const findings = await compare(PAGE, after, 'pdf');
    const found = findings.find((finding) => finding.kind === kind);
    expect(found?.message).toMatch(message);
    const hasPlace = ['places', 'words', 'pixels'].includes(kind);
    expect((found?.box?.width ?? 0) > 0).toBe(hasPlace);
  });

  it('differ as png by a colour, with its place', async () => {
    const [finding] = await compare(PAGE, `<style>#first { color: #a00 }</style>${PAGE}`, 'png');
    expect(finding).toMatchObject({ kind: 'pixels', box: { x: expect.any(Number), width: expect.any(Number) } });
  });

  it('differ as markdown by a word in a long line', async () => {
    const long = 'word '.repeat(60);
    const [finding] = await compare(`<p>${long}old`, `<p>${long}new`, 'markdown');
    expect(finding?.message).toMatch(/"[^"]*new" instead of "[^"]*old"/);
  });

  it('differ by a warning', async () => {
    const findings = await compare(
      '<p>x',
      '<p style="width: 3000px; white-space: nowrap">x'.concat('y '.repeat(2_000)),
      'pdf',
    );
    expect(findings.some(({ kind }) => kind === 'warnings')).toBe(true);
  });
});
