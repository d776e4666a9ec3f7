import { describe, expect, it } from 'vitest';
import { documentFields } from '../../../../src/capture/formats/pdf/document-fields.ts';
import type { PageRule } from '../../../../src/capture/formats/pdf/in-page/page-rules.ts';
import { mayLackRoom, withOwnPaper } from '../../../../src/capture/formats/pdf/own-paper.ts';
import { sheetOf } from '../../../../src/capture/formats/pdf/sheet.ts';

const NOTHING: PageRule = { selector: '', size: '', top: '', right: '', bottom: '', left: '' };
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
