import { describe, expect, it } from 'vitest';
import { documentFields } from '../../../src/features/documents/document-fields.ts';
import type { PageRule } from '../../../src/features/documents/in-page/page-rules.ts';
import { expectedRoom, mayLackRoom, withOwnPaper } from '../../../src/features/documents/own-paper.ts';
import { sheetOf } from '../../../src/features/documents/sheet.ts';

const NO_MARGINS = { top: '', right: '', bottom: '', left: '' };
const NOTHING: PageRule = { selector: '', size: '', ...NO_MARGINS, hasBackground: false };
const own = (...rules: readonly Partial<PageRule>[]) => ({
  rules: rules.map((rule) => ({ ...NOTHING, ...rule })),
  isWhole: true,
});

describe('mayLackRoom', () => {
  it.each<[fields: object, rules: readonly Partial<PageRule>[], expected: boolean]>([
    [{}, [], false],
    [{ pdf_footer_html: 'x' }, [{ size: 'a4' }], false],
    [{ pdf_margin: '20mm' }, [{ size: '210mm 297mm', top: '45mm' }], false],
    [{ pdf_margin: '20mm' }, [{ size: 'auto' }, { size: 'landscape' }], false],
    [{ pdf_margin: '70mm' }, [{ size: 'a4 landscape' }], false],
    [{ pdf_margin: '80mm' }, [{ size: 'a4' }], true], // CSS has a name for A5
    [{ pdf_margin: '30mm' }, [{ size: '50mm 30mm' }], true],
    [{}, [{ size: '50mm 30mm', selector: 'label' }], false],
    [{}, [{ size: '50mm 15mm' }], true],
    [{}, [{ size: '5em' }], true],
    [{}, [{ size: 'a4' }, { selector: ':first', top: '140mm' }], true],
  ])('is as expected for %j and %j', (fields, rules, expected) => {
    expect(mayLackRoom(sheetOf(documentFields.parse(fields)), own(...rules))).toBe(expected);
  });

  it('is true for unreadable style sheets if the request sets margins', () => {
    const unreadable = { rules: [], isWhole: false };

    expect(mayLackRoom(sheetOf(documentFields.parse({ pdf_footer_html: 'x' })), unreadable)).toBe(false);
    expect(mayLackRoom(sheetOf(documentFields.parse({ pdf_margin: 9 })), unreadable)).toBe(true);
  });
});

describe('withOwnPaper', () => {
  it('takes the margins of all pages, and those of the request before them', () => {
    const options = documentFields.parse({ pdf_margin: { left: 9 } });
    const rules = own({ top: '96px', left: '2in' }, { selector: ':first', top: '0px' }, { right: 'calc(1px + 2px)' });
    const { margins } = withOwnPaper(sheetOf(options), rules, options);

    expect([margins.top, margins.left]).toEqual([96, 9]);
    expect(margins.right).toBeCloseTo(96 / 2.54, 3);
  });
});

describe('expectedRoom', () => {
  const MM = 96 / 25.4;
  const MARGINS = 20; // millimetres, both sides together

  it.each<[what: string, rules: readonly Partial<PageRule>[], fields: object, millimetres: readonly [number, number]]>([
    ['of the usual paper', [], {}, [210, 297]],
    ['of a named paper', [{ size: 'a3' }], {}, [297, 420]],
    ['of a rotated paper', [{ size: 'A5 landscape' }], {}, [210, 148]],
    ['of the usual paper, rotated', [{ size: 'landscape' }], {}, [297, 210]],
    ['of a named paper that is not rotated', [{ size: 'portrait a5' }], {}, [148, 210]],
    ['of a paper in lengths', [{ size: '100mm 200mm' }], {}, [100, 200]],
    ['of a square', [{ size: '10cm' }], {}, [100, 100]],
    ['of the last rule', [{ size: 'a3' }, { top: '1cm' }, { size: 'a5' }], {}, [148, 210]],
    ['of the usual paper for unknown words', [{ size: 'jis-b4' }], {}, [210, 297]],
    ['of the usual paper if only some pages have another', [{ size: 'a3', selector: ':first' }], {}, [210, 297]],
    ['of the requested paper', [{ size: 'a3' }], { pdf_format: 'A5' }, [148, 210]],
    ['of the usual paper if the page leaves none', [{ size: '10mm', left: '5mm', right: '5mm' }], {}, [210, 297]],
  ])('is the room %s', (_what, rules, fields, [width, height]) => {
    const options = { ...documentFields.parse(fields), window_height: 720 };
    const room = expectedRoom(sheetOf(options), own(...rules), options);

    expect(room.width / MM).toBeCloseTo(width - MARGINS, 1);
    expect(room.height / MM).toBeCloseTo(height - MARGINS, 1);
  });

  it('has the margins that the page sets, and the scale of the request', () => {
    const options = { ...documentFields.parse({ pdf_scale: 0.5 }), window_height: 720 };
    const room = expectedRoom(sheetOf(options), own({ size: 'a4', left: '50mm', right: '60mm' }), options);

    expect(room.width / MM).toBeCloseTo(200, 1);
  });
});
