import { LONG_PAGE, CELL } from './site.mjs';

/** The window of every capture, in CSS pixels at density 1. */
export const WINDOW = { width: 1280, height: 720 };

/** How long one capture may take. */
export const CAPTURE_LIMIT_MS = 30_000;

const FAST = { optimizeForSpeed: true }; // as the service has its pictures made
const MIDDLE = 'img:nth-child(5)';

/**
 * What is measured, by the name that `--pages` takes: a page of the site, the fields of a request for it, the same by a Puppeteer
 * script, and how the result must begin. A quick answer that is wrong is no capture.
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
    title: 'A page with scripts and nothing to happen',
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
function isPng({ width, height }) {
  return (head) => {
    const isPicture = head.length >= 24 && head.toString('latin1', 1, 4) === 'PNG';
    if (isPicture && head.readUInt32BE(16) === width && head.readUInt32BE(20) === height) return;
    throw new Error(`not a picture of ${width}x${height}`);
  };
}
