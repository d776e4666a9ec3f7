import { findVisible } from '../capture/element.ts';
import { documentSource } from '../capture/in-page/document-source.ts';
import { elementSource } from '../capture/in-page/element-source.ts';
import type { Format } from './format.ts';

/** The document as it stands, or the outer HTML of one element. Sent so that no browser runs it in our origin. */
export const html: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  showsWholePage: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, { selector }) => {
    if (selector === undefined) return { body: Buffer.from(await page.evaluate(documentSource)) };
    const { handle } = await findVisible(page, selector);
    return { body: Buffer.from(await page.callOn(handle, elementSource)) };
  },
};
