import { LONG_PAGE, CELL } from './site.mjs';

/** The window of every capture, in CSS pixels at density 1. */
export const WINDOW = { width: 1280, height: 720 };

/** Time limit of one capture. */
export const CAPTURE_LIMIT_MS = 30_000;

const FAST = { optimizeForSpeed: true }; // as in the service
const MIDDLE = 'img:nth-child(5)';

/**
 * The measured captures, by their name in `--pages`: a page of the site, the request fields, the same capture in a
 * Puppeteer script, and the expected first bytes. A fast but wrong answer does not count.
 */
export const JOBS = {
  plain: {
    title: 'One line',
    path: '/plain',
    fields: {},
    shoot: (page) => page.screenshot(FAST),
    check: isPng(WINDOW),
  },
  photographs: {
    title: 'Nine photographs',
    path: '/photographs',
    fields: {},
    shoot: (page) => page.screenshot(FAST),
    check: isPng(WINDOW),
  },
  scripted: {
    title: 'A page with scripts that are idle',
    path: '/scripted',
    fields: {},
    shoot: (page) => page.screenshot(FAST),
    check: isPng(WINDOW),
  },
  'full-page': {
    title: 'Full page, 4,000 px',
    path: '/long',
    fields: { full_page: true },
    shoot: (page) => page.screenshot({ ...FAST, fullPage: true }),
    check: isPng({ width: WINDOW.width, height: LONG_PAGE.height }),
  },
  element: {
    title: 'One element',
    path: '/photographs',
    fields: { selector: MIDDLE },
    shoot: async (page) => {
      const element = await page.$(MIDDLE);
      return await element.screenshot(FAST);
    },
    check: isPng(CELL),
  },
  pdf: {
    title: 'PDF, A4',
    path: '/long',
    fields: { format: 'pdf', pdf_format: 'A4', pdf_print_background: true },
    shoot: (page) => page.pdf({ format: 'a4', printBackground: true }),
    check: (head) => {
      if (head.toString('latin1', 0, 5) !== '%PDF-') throw new Error('not a PDF');
    },
  },
};

/** Checks the first bytes of a result. */
export function isPng({ width, height }) {
  return (head) => {
    const isPicture = head.length >= 24 && head.toString('latin1', 1, 4) === 'PNG';
    if (isPicture && head.readUInt32BE(16) === width && head.readUInt32BE(20) === height) return;
    throw new Error(`not a picture of ${width}x${height}`);
  };
}
