import { beforeAll, describe, expect, it } from 'vitest';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

describe('a pdf of a page that is written from right to left', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const print = async (fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer & { pdf: Pdf }> => {
    const answer = await capture(service.url, { format: 'pdf', ...fields });
    return { ...answer, pdf: await readPdf(answer.body) };
  };

  it.each([
    ['left', '<html dir="rtl">'],
    ['left, by its body', '<body dir="rtl">'],
    ['right', '<html>'],
  ])('is shrunk as one that is wider than its paper to the %s', async (_side, start) => {
    const cells = '<td>First</td>'.repeat(9);
    const html_content = `${start}<table border="1" style="width: 1000px"><tr>${cells}<td>Last</td></tr></table>`;
    const { headers, pdf } = await print({ html_content });

    const places = (pdf.pages[0]?.runs ?? []).filter(({ text }) => text.trim() !== '').map(({ leftPt }) => leftPt);
    expect(Math.min(...places)).toBeGreaterThan(28);
    expect(Math.max(...places)).toBeLessThan(560);
    expect(headers.get('x-capture-warnings')).toBe('content_shrunk');
    expect(Number(headers.get('x-pdf-scale'))).toBeCloseTo(0.71, 1);
  });

  it.each([[0.5], [1.5]])(
    'has its right margin at scale %d of a page that is written from right to left',
    async (pdf_scale) => {
      const { pdf } = await print({ html_content: '<html dir="rtl"><p>i</p>', pdf_scale });

      const { leftPt } = pdf.pages[0]?.runs.find(({ text }) => text.includes('i')) ?? { leftPt: 0 };
      expect(leftPt).toBeGreaterThan(545);
      expect(leftPt).toBeLessThan(567);
    },
  );
});
