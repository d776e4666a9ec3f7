import { documentSource } from '../capture/in-page/document-source.ts';
import { elementBox } from '../capture/in-page/element-box.ts';
import { elementSource } from '../capture/in-page/element-source.ts';
import { elementNotFound } from '../capture/steps/area.ts';
import type { Format } from './format.ts';

/** The document as it stands, or the outer HTML of one element. Sent so that no browser runs it in our origin. */
export const html: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  showsWholePage: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  render: async (page, { selector }) => {
    if (selector === undefined) return { body: Buffer.from(await page.evaluate(documentSource)) };
    const visible = (await page.evaluate(elementBox, selector)) !== undefined;
    const source = visible ? await page.evaluate(elementSource, selector) : undefined;
    if (source === undefined) throw elementNotFound(selector);
    return { body: Buffer.from(source) };
  },
};
