import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from '../../core/browser/page/page.ts';
import { InPageError } from '../../core/browser/page/evaluate.ts';
import type { AnyStep } from '../../core/feature.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import { firstLine } from '../../core/steps/common/fields.ts';
import type { DocumentOptions } from '../documents/document-fields.ts';
import { emulatePaper, type PaperOptions } from '../../core/steps/readiness/paper.ts';
import { PAPER_SIZES } from '../documents/paper-sizes.ts';
import { ownSheets } from './own-sheets.ts';
import { type LaidOutBook, layOutBook, pagesSoFar } from './in-page/lay-out-book.ts';
import { readSheets } from './read-sheets.ts';

/** A book of 300 pages takes less than the time limit of rendering. */
const MAX_PAGES = 3_000;
const PROGRESS_MS = 5_000;

interface PagedOptions extends DocumentOptions, PaperOptions {
  readonly paged_media: boolean;
  readonly custom_css?: string | undefined;
}

/** Lays a book out on pages. */
export const pagedMedia: AnyStep<PagedOptions> = {
  name: 'paged-media',
  boundsItself: true,
  apply: async (page, options, { warn, log, paper }) => {
    if (!options.paged_media) return;
    if (paper !== undefined) await emulatePaper(page, await paper(), options);
    const progress = setInterval(() => {
      page.evaluate(pagesSoFar).then(
        (pages) => log.info({ pages }, 'a book is being laid out'),
        () => undefined, // other waits report a lost page
      );
    }, PROGRESS_MS);
    const laying = layOut(page, options);
    const { lostCharacters, isCut, ignored } = await withTimeout(laying, LIMIT_MS.render, late)
      .catch((error: unknown) => {
        throw explained(error);
      })
      .finally(() => clearInterval(progress));
    if (ignored.length > 0) {
      warn('paged_media_incomplete');
      log.warn({ rules: ignored }, 'rules of a book are left out');
    }
    if (isCut) warn('content_cut');
    if (lostCharacters > 0) throw notWhole(`${lostCharacters} characters of it are on no page`);
  },
};

/** Lays the page out by its style sheets and those of the request. */
async function layOut(page: Page, options: PagedOptions): Promise<LaidOutBook> {
  const { usual, fixed } = ownSheets(options);
  const written = (await readSheets(page)).map(({ url, text: rules }) => [url, rules] as const);
  const { custom_css: css = '' } = options;
  const sheets = [['about:usual', usual], ...written, ['about:custom', css], ['about:fixed', fixed]] as const;
  const tools = { expression: await library(), limitMs: LIMIT_MS.render };
  return await page.evaluateWith(tools, layOutBook, sheets, PAPER_SIZES, MAX_PAGES);
}

function late(): ServiceError {
  return new ServiceError('TimeoutError', `The book could not be laid out within ${LIMIT_MS.render} ms`);
}

/** Text of the library, as an expression. */
let text: Promise<string> | undefined;
function library(): Promise<string> {
  text ??= readLibrary();
  return text;
}

async function readLibrary(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('pagedjs');
  const code = await readFile(join(dirname(main), '../dist/paged.min.js'), 'utf8');
  // Elements of the page with these ids would otherwise be taken for a module system.
  return `((exports, module, define) => { ${code}\n; return exports; })({}, {})`;
}

/** Only errors of the library itself: others are those of a lost page. */
function explained(error: unknown): unknown {
  return error instanceof InPageError ? notWhole(firstLine(error.message)) : error;
}

function notWhole(reason: string): ServiceError {
  return new ServiceError('PageRejectedError', undefined, {
    details: `paged_media: the book can't be laid out: ${reason}`,
  });
}
