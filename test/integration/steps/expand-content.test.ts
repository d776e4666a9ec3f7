import { beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const lines = (name: string): string => `${name} begins<br>${'line<br>'.repeat(20)}${name} ends`;
const FOLDED: Readonly<Record<string, string>> = {
  details: `<details><summary>More</summary>${lines('text')}</details>`,
  'a group of details': `<details name="g" open><summary>A</summary>first</details><details name="g"><summary>B</summary>${lines('text')}</details>`,
  'content until found': `<div hidden="until-found">${lines('text')}</div>`,
  'a scrolled box': `<div style="height:60px;overflow:auto">${lines('text')}</div>`,
  'a box in a box': `<div style="height:60px;overflow-y:scroll">${lines('outer')}<div style="max-height:40px;overflow:auto">${lines('text')}</div></div>`,
  'a flex column': `<div style="display:flex;flex-direction:column;height:90px"><div style="flex:1;overflow:auto">${lines('text')}</div></div>`,
  'a field': `<textarea rows="2">${lines('text').replaceAll('<br>', '\n')}</textarea>`,
  'a frame': `<iframe height="60" srcdoc="${lines('text')}"></iframe>`,
  'a shadow tree': `<div><template shadowrootmode="open"><div style="height:60px;overflow:auto">${lines('text')}</div></template></div>`,
};

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const take = (body: string, fields: object): Promise<CaptureAnswer> =>
  capture(service.url, {
    html_content: `<!doctype html><html lang="en"><body>${body}<p>End of the page`,
    window_width: 600,
    window_height: 200,
    ...fields,
  });

describe.concurrent('expand_content', () => {
  it.each(Object.entries(FOLDED))('shows %s in documents and pictures', async (_name, body) => {
    const [document, folded, unfolded] = await Promise.all([
      take(body, { format: 'pdf', expand_content: true }),
      take(body, { full_page: true }),
      take(body, { full_page: true, expand_content: true }),
    ]);

    const { pages } = await readPdf(document.body);
    const text = pages.map((page) => page.text).join(' ');
    expect(text).toContain('text begins');
    expect(text).toContain('text ends');
    expect(text).toContain('End of the page');
    const [before, after] = [imageSize(folded.body).height, imageSize(unfolded.body).height];
    expect(after).toBeGreaterThan(Math.max(before, 300));
  });

  it('leaves the markup as it is, and text formats alone', async () => {
    const body = FOLDED['details'] ?? '';
    const [answer, html] = await Promise.all([
      take(body, { expand_content: true, response_type: 'json', include: ['html'] }),
      take(body, { expand_content: true, format: 'html' }),
    ]);

    expect(Object(answer.json()).html.text).toContain('<details><summary>');
    expect(html.body.toString()).toContain('<details><summary>');
  });

  it('refuses other values', async () => {
    expect(readError(await take('', { expand_content: 'all' }))).toEqual(
      invalid('expand_content: must be true or false'),
    );
  });
});
