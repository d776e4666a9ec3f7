import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { sharedService } from '../../support/shared-service.ts';

const MM = 72 / 25.4;
const GUIDE = new URL('../../../docs/printing.md', import.meta.url);
const RECIPE = /<!-- recipe: (\w+)(?: (\{.*\}))? -->\n```html\n([^]*?)```/g;

const textsOf = ({ pages }: Pdf): readonly string[] => pages.map(({ text }) => text);
const sizesOf = ({ pages }: Pdf): readonly (readonly number[])[] =>
  pages.map(({ widthPt, heightPt }) => [widthPt, heightPt].map((points) => Math.round(points / MM)));
const placeOf = ({ pages: [first] }: Pdf): readonly number[] => {
  const [run] = first?.runs ?? [];
  return [run?.leftPt ?? 0, run?.baselinePt ?? 0].map((points) => Math.round(points / MM));
};

/** What the guide says about each recipe. */
const CHECKS: Readonly<Record<string, (pdf: Pdf) => void>> = {
  letter: (pdf) => {
    const [left = 0, baseline = 0] = placeOf(pdf);
    expect([left, baseline > 53 && baseline < 64]).toEqual([27, true]); // body and paragraph have margins
  },
  annex: (pdf) =>
    expect(sizesOf(pdf)).toEqual([
      [210, 297],
      [297, 210],
    ]),
  column: (pdf) => expect(textsOf(pdf)).toEqual(['First job', 'Second job']),
  receipt: (pdf) => {
    const [[width, height = 0] = []] = sizesOf(pdf);
    expect([width, height > 10 && height < 40, pdf.pages.length]).toEqual([80, true, 1]);
  },
  breaks: (pdf) => expect(textsOf(pdf)).toEqual(['Cover', 'Chapter']),
  table: (pdf) => {
    expect(textsOf(pdf).length).toBeGreaterThan(1);
    for (const text of textsOf(pdf)) expect(text.startsWith('Date Amount')).toBe(true);
    expect(textsOf(pdf).filter((text) => text.includes('Total'))).toHaveLength(1);
  },
  cover: (pdf) => expect(textsOf(pdf)).toEqual(['Cover', 'First chapter Annual report 2']),
  numbers: (pdf) => {
    expect(textsOf(pdf)[0]).toBe('Title');
    expect(textsOf(pdf)[1]).toMatch(/Annual report.*2 \/ 2/);
  },
  draft: (pdf) => expect(textsOf(pdf).map((text) => text.includes('DRAFT'))).toEqual([true, true]),
  slip: (pdf) => {
    expect(textsOf(pdf)).toEqual(['Invoice', 'Payment part']);
    expect((pdf.pages[1]?.runs[0]?.baselinePt ?? 0) / MM).toBeGreaterThan(190);
  },
  unfolded: (pdf) => expect(textsOf(pdf).join(' ')).toMatch(/Answer.*Last line/),
};

it('prints each recipe of the guide as the guide says', { timeout: 60_000 }, async () => {
  const [service, guide] = await Promise.all([sharedService(), readFile(GUIDE, 'utf8')]);
  const recipes = [...guide.matchAll(RECIPE)];
  expect(new Set(recipes.map(([, name]) => name))).toEqual(new Set(Object.keys(CHECKS)));

  for (const [, name = '', fields = '{}', markup = ''] of recipes) {
    const rows = '<tr><td>2026-01-01</td><td>1.00</td></tr>'.repeat(80);
    const html_content = `<!doctype html><html lang="en">${markup.replace('<!-- rows -->', rows)}`;
    const answer = await capture(service.url, { html_content, format: 'pdf', ...JSON.parse(fields) });

    expect([name, answer.status, answer.headers.get('x-capture-warnings')]).toEqual([name, 200, null]);
    CHECKS[name]?.(await readPdf(answer.body));
  }
});
