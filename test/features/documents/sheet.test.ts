import { describe, expect, it } from 'vitest';
import { documentFields } from '../../../src/features/documents/document-fields.ts';
import { toPoints } from '../../../src/features/documents/length.ts';
import { pageRule, sheetOf } from '../../../src/features/documents/sheet.ts';

const sheet = (fields: Readonly<Record<string, unknown>>) => sheetOf(documentFields.parse(fields));
const sizeOf = (fields: Readonly<Record<string, unknown>>): number[] => {
  const { width, height } = sheet(fields);
  return [width, height].map((px) => Math.round(toPoints(px)));
};

describe('sheetOf', () => {
  it.each([
    [{}, [595, 842]],
    [{ pdf_landscape: true }, [842, 595]],
    [{ pdf_landscape: true, pdf_format: 'Letter' }, [792, 612]],
    [{ pdf_landscape: true, pdf_format: 'Ledger' }, [1224, 792]], // already landscape
    [{ pdf_width: '100pt', pdf_height: '200pt' }, [100, 200]],
    [{ pdf_width: '100pt', pdf_height: '200pt', pdf_landscape: true }, [200, 100]],
    [{ pdf_width: '200pt', pdf_height: '100pt', pdf_landscape: true }, [200, 100]],
  ])('is the expected sheet for %j', (fields, points) => {
    expect(sizeOf(fields)).toEqual(points);
  });

  it("keeps the page's own size and margins unless the request sets them", () => {
    expect(pageRule(sheet({}))).toBe('');
    expect(pageRule(sheet({ pdf_scale: 2, pdf_page_ranges: '1' }))).toBe('');
    expect(pageRule(sheet({ pdf_margin: { left: 8 } }))).toBe('@page { margin-left: 8px !important; }');
    expect(pageRule(sheet({ pdf_format: 'Letter' }))).toBe('@page { size: 8.5in 11in !important; }');
  });

  it('fixes only the margins of the request, unless they are defaults', () => {
    const all = { top: 5, right: 5, bottom: 5, left: 5 };

    expect(sheet({ pdf_header_html: 'x' }).fixedMargins).toEqual({});
    expect(sheet({ pdf_header_html: 'x', pdf_margin: { top: 8, left: 9 } }).fixedMargins).toEqual({ top: 8, left: 9 });
    expect(sheet({ pdf_margin: 5 }).fixedMargins).toEqual(all);
    expect(sheet({ pdf_margin: { ...all, default: true } })).toMatchObject({ fixedMargins: {}, defaultMargins: all });
  });
});
