import { deepEqual, equal, ok } from 'node:assert/strict';
import { PAPER_SIZES } from '../../../src/features/documents/paper-sizes.ts';
import { COLOUR, type Colour } from '../../support/colour.ts';
import { DOCUMENT_PAGE } from '../../support/pages/document.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { expectCaptured } from '../expect.ts';
import type { FidelityCase, TimedAnswer } from '../fidelity-case.ts';
import { LARGE_DOCUMENT, PART, ROWS_PAGE, WIDE_DOCUMENT } from '../pages/documents.ts';
import { SHELL } from '../pages/layout.ts';
import { readDrawings } from '../pdf-drawings.ts';

const POINTS_PER_INCH = 72;
const A5_LANDSCAPE = [595, 420];

const readDocument = async (answer: TimedAnswer): Promise<Pdf> => {
  expectCaptured(answer);
  return await readPdf(answer.body);
};

const expectPaper = ({ pages }: Pdf, widthPt: number, heightPt: number): void => {
  const [width, height] = [pages[0]?.widthPt ?? 0, pages[0]?.heightPt ?? 0];
  ok(
    Math.abs(width - widthPt) < 1 && Math.abs(height - heightPt) < 1,
    `${width} x ${height} points, not ${widthPt} x ${heightPt}`,
  );
};

/** PDF documents. */
export const DOCUMENT_CASES: readonly FidelityCase[] = [
  {
    id: 'pdf.text',
    title: 'Text stays text, in reading order, and links keep their targets',
    request: { page: '/document', format: 'pdf' },
    check: async (answer) => {
      const { pages, links } = await readDocument(answer);
      const text = pages.map((page) => page.text).join(' ');
      const { heading, words, rows, link } = DOCUMENT_PAGE;
      const order = [heading, ...words, 'Row 1 ', `Row ${rows}`].map((part) => text.indexOf(part));
      deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
      ok(!order.includes(-1), 'some text is missing');
      deepEqual(links, [link]);
    },
  },
  ...Object.entries(PAPER_SIZES).map(([name, [width, height]]): FidelityCase => ({
    id: `pdf.paper-${name.toLowerCase()}`,
    title: `${name} paper has its standard size, to the point`,
    request: { page: '/plain', format: 'pdf', pdf_format: name },
    check: async (answer) => {
      expectPaper(await readDocument(answer), width * POINTS_PER_INCH, height * POINTS_PER_INCH);
    },
  })),
  ...[true, false].map((isPrinted): FidelityCase => ({
    id: `pdf.background-${isPrinted ? 'on' : 'off'}`,
    title: `Backgrounds are ${isPrinted ? '' : 'not '}printed when pdf_print_background is ${isPrinted}`,
    request: { page: '/fidelity/printed', format: 'pdf', pdf_print_background: isPrinted },
    check: async (answer) => {
      const { fills, runs } = await readDrawings(answer);
      const isFilled = (colour: Colour): boolean => fills.has(colour.join());
      deepEqual([COLOUR.magenta, COLOUR.cyan].map(isFilled), [isPrinted, isPrinted]);
      equal(runs.map((run) => run.text).join(''), 'Background');
    },
  })),
  {
    id: 'pdf.page-size',
    title: 'A page that sets its paper size in CSS gets that size',
    request: { page: '/fidelity/page-size', format: 'pdf' },
    check: async (answer) => {
      const [width = 0, height = 0] = A5_LANDSCAPE;
      expectPaper(await readDocument(answer), width, height);
    },
  },
  {
    id: 'pdf.page-size-overridden',
    title: 'The paper of the request overrides the paper of the page',
    request: { page: '/fidelity/page-size', format: 'pdf', pdf_format: 'Letter' },
    check: async (answer) => {
      expectPaper(await readDocument(answer), 612, 792);
    },
  },
  {
    id: 'pdf.rows',
    title: 'A long table breaks between its rows, never inside one',
    request: { page: '/fidelity/rows', format: 'pdf' },
    check: async (answer) => {
      const { pages } = await readDocument(answer);
      ok(pages.length > 1, 'only one page');
      for (let row = 1; row <= ROWS_PAGE.rows; row++) {
        const places = ROWS_PAGE.lines.map((line) =>
          pages.flatMap(({ text }, page) => (`${text} `.includes(`Row ${row} ${line} `) ? [page] : [])),
        );
        equal(new Set(places.flat()).size, 1, `row ${row} is on pages ${places.join(' and ')}`);
        deepEqual(
          places.map((pages) => pages.length),
          [1, 1, 1],
          `lines of row ${row}`,
        );
      }
    },
  },
  {
    id: 'pdf.fonts',
    title: 'The document embeds web fonts',
    request: { page: '/fidelity/font-document', format: 'pdf' },
    check: async (answer) => {
      const { fonts, runs } = await readDrawings(answer);
      deepEqual(
        fonts.map(({ name, isEmbedded }) => [name.replace(/^[A-Z]{6}\+/, ''), isEmbedded]),
        [['LiberationSans-Bold', true]],
      );
      equal(runs.map((run) => run.text).join(''), 'Embedded letters');
    },
  },
  ...[
    ['body', '/document', 'h2 + p', 'Next year brings salsify and kohlrabi. Read on'],
    ['shadow', '/fidelity/part?in=shadow', '#part', PART.text],
    ['frame', '/fidelity/part?in=frame', '#part', PART.text],
  ].map(([name, page = '', selector = '', text]): FidelityCase => ({
    id: `pdf.element-${name}`,
    title: `The pdf contains one element only, from the ${name}`,
    request: { page, format: 'pdf', selector },
    check: async (answer) => {
      const { pages } = await readDocument(answer);
      deepEqual(
        pages.map((page) => page.text),
        [text],
      );
      const { fills } = await readDrawings(answer);
      if (text === PART.text) ok(fills.has(PART.colour.join()), 'its background is missing');
    },
  })),
  {
    id: 'pdf.large',
    title: `A document of ${LARGE_DOCUMENT.sheets} pages is printed completely and in order`,
    request: { page: '/fidelity/large-document', format: 'pdf', pdf_format: 'A4' },
    check: async (answer) => {
      const { pages } = await readDocument(answer);
      deepEqual(
        pages.map(({ text }) => /^Sheet (\d+) /.exec(text)?.[1]),
        pages.map((_, index) => `${index + 1}`),
      );
      equal(pages.length, LARGE_DOCUMENT.sheets);
    },
  },
  {
    id: 'pdf.shell',
    title: 'A pdf contains all scrolled content of an app shell',
    request: { page: '/fidelity/shell-nested', format: 'pdf' },
    check: async (answer) => {
      const { fills } = await readDrawings(answer);
      const missing = SHELL.rows.filter(({ colour }) => !fills.has(colour.join()));
      deepEqual(missing, []);
      ok((await readDocument(answer)).pages.length > 1, 'only one page');
    },
  },
  {
    id: 'pdf.wide',
    title: 'A table that is wider than the paper is not cut off',
    request: { page: '/fidelity/wide-document', format: 'pdf' },
    check: async (answer) => {
      const { runs } = await readDrawings(answer);
      equal(runs.filter(({ text }) => text.startsWith('Last')).length, WIDE_DOCUMENT.rows);
      deepEqual(
        runs.filter(({ right, pageWidth }) => right > pageWidth),
        [],
      );
    },
  },
];
