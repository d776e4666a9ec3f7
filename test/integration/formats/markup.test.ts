import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const HEAD = '<!DOCTYPE html><html><head></head><body>';
const partSchema = z.object({ html: z.object({ text: z.string() }) });

/** A page whose script gives an element a shadow tree. */
const withTree = (html: string, tree: string): string =>
  `${HEAD}${html}<script>document.currentScript.remove(); document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(tree)};</script>`;

describe('the markup of a page', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const markupOf = async (html_content: string, fields: object = {}): Promise<string> =>
    (await capture(service.url, { html_content, format: 'html', ...fields })).body.toString();
  const partOf = async (html_content: string, fields: object = {}): Promise<string> => {
    const answer = await capture(service.url, {
      html_content,
      response_type: 'json',
      include: ['html'],
      ...fields,
    });
    return partSchema.parse(answer.json()).html.text;
  };

  it.each([
    [
      'a tree',
      withTree('<x-a><b>light</b></x-a>', '<p>dark</p><slot></slot>'),
      '<x-a><template shadowrootmode="open"><p>dark</p><slot></slot></template><b>light</b></x-a>',
    ],
    ['the page', '<p class="a">text</p>', '<p class="a">text</p>'],
  ])('has open shadow trees as templates: %s', async (_what, html, expected) => {
    expect(await markupOf(html)).toContain(expected);
    expect(await partOf(html)).toContain(expected);
  });

  it.each([
    ['an element in a tree', 'p', '<p>dark</p>'],
    [
      'an element with a tree',
      'x-a',
      '<x-a><template shadowrootmode="open"><p>dark</p><img src="data:,"></template></x-a>',
    ],
    ['an element without content', 'img', '<img src="data:,">'],
  ])('of %s is its own', async (_what, selector, expected) => {
    const html = withTree('<x-a></x-a>', '<p>dark</p><img src="data:,">');

    expect(await markupOf(html, { selector })).toBe(expected);
  });

  it.each([
    ['whole page', { full_page: true }],
    ['document', { format: 'pdf' }],
    ['element', { selector: 'main' }],
  ])('has none of the changes that the picture of a %s needs', async (_what, fields) => {
    const body =
      '<main style="height: 100vh; overflow: auto;"><section style="content-visibility: auto;">text</section><img loading="lazy" src="data:,"><div style="position: sticky; bottom: 0px;">bar</div><p style="height: 3000px; background: linear-gradient(red, blue) fixed;">end</p></main>';

    const text = await partOf(`${HEAD}${body}`, fields);

    expect(text).toContain('selector' in fields ? body : `<html><head></head><body>${body}</body></html>`);
  });
});
