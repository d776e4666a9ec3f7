import { describe, expect, it } from 'vitest';
import { readPdf } from './pdf.ts';

describe('readPdf', () => {
  it('reads size, text and links', async () => {
    const pdf = await readPdf(onePage());

    expect(pdf).toMatchObject({
      pages: [
        {
          widthPt: 300,
          heightPt: 200,
          text: 'Hello page',
          runs: [{ text: 'Hello page', leftPt: 20, baselinePt: 100, heightPt: 24 }],
          tags: [],
        },
      ],
      links: ['https://example.com/'],
      outline: [],
    });
  });

  it('rejects bytes that are not a PDF', async () => {
    await expect(readPdf(Buffer.from('<html>'))).rejects.toThrow('Invalid PDF structure');
  });
});

/** The smallest PDF with text and a link; the reader repairs the missing cross-reference table. */
function onePage(): Buffer {
  const content = 'BT /F1 24 Tf 20 100 Td (Hello page) Tj ET';
  return Buffer.from(`%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Annots [6 0 R]
  /Resources << /Font << /F1 5 0 R >> >> >> endobj
4 0 obj << /Length ${content.length} >> stream
${content}
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
6 0 obj << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.com/) >> >> endobj
trailer << /Root 1 0 R >>
%%EOF`);
}
