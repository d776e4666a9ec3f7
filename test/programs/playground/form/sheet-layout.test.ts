import { describe, expect, it } from 'vitest';
import { PAPER_SIZES } from '../../../../src/features/documents/paper-sizes.ts';
import { layOutSheet } from '../../../../src/programs/playground/form/sheet-layout.ts';

describe('layOutSheet', () => {
  it.each(Object.entries(PAPER_SIZES))('supports the paper size %s', (pdf_format, [width, height]) => {
    const layout = layOutSheet({ pdf_format });

    expect(layout?.width).toBeCloseTo(width, 1);
    expect(layout?.height).toBeCloseTo(height, 1);
  });

  it('is A4 with default margins, larger with a header or a footer', () => {
    expect(layOutSheet({})?.margin).toEqual({ top: 0.4, right: 0.4, bottom: 0.4, left: 0.4 });
    expect(layOutSheet({ pdf_footer_html: 'x' })?.margin.bottom).toBeCloseTo(1 / 2.54);
    expect(layOutSheet({ pdf_landscape: true })?.width).toBeCloseTo(11.69, 1);
  });

  it.each([
    ['10mm', 10 / 25.4],
    ['1cm', 1 / 2.54],
    ['0.5in', 0.5],
    ['.5in', 0.5],
    ['96px', 1],
    ['96', 1],
    [96, 1],
    ['72pt', 1],
  ])('accepts the margin %j', (pdf_margin, inches) => {
    expect(layOutSheet({ pdf_margin })?.margin.left).toBeCloseTo(inches);
    expect(layOutSheet({ pdf_margin: { left: pdf_margin } })?.margin).toMatchObject({ top: 0.4 });
  });

  it.each([
    { pdf_margin: '10parsecs' },
    { pdf_margin: '200mm' },
    { pdf_width: '80mm' },
    { pdf_width: '0', pdf_height: '1in' },
    { pdf_format: 'A7' },
  ])('draws nothing for %j', (values) => {
    expect(layOutSheet(values)).toBeUndefined();
  });

  it('supports a custom paper size', () => {
    const layout = layOutSheet({ pdf_width: '80mm', pdf_height: '200mm' });

    expect(layout?.width).toBeCloseTo(80 / 25.4);
    expect(layout?.height).toBeCloseTo(200 / 25.4);
  });

  it('needs no height for a single sheet', () => {
    const layout = layOutSheet({ pdf_width: '80mm', pdf_single_page: true, pdf_landscape: true });

    expect(layout?.width).toBeCloseTo(80 / 25.4); // a width alone has no orientation
    expect(layout?.isEndless).toBe(true);
  });

  it.each([
    [{ pdf_margin: '1cm', pdf_landscape: false }, false],
    [{ pdf_landscape: true }, true],
    [{ pdf_format: 'A5' }, true],
    [{ pdf_single_page: true }, true],
  ])('detects for %j whether a page may set its own size', (values, isNamed) => {
    expect(layOutSheet(values)?.isNamed).toBe(isNamed);
  });
});
