import type { StandIn } from '../../core/feature.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { ServiceError, validationError } from '../../core/ground/errors.ts';
import { raceAbort } from '../../core/ground/timeouts.ts';
import type { OwnSite } from '../../core/egress/gate/own-site.ts';
import { PeerEndedError } from '../../core/processes/peer-calls.ts';
import type { WarningCode } from '../../core/steps/common/step.ts';
import { type PdfProblem, PdfProblemError } from '../pdf-reader/open-document.ts';
import { createPdfReader, type PdfReader } from '../pdf-reader/pdf-reader.ts';
import type { ShownDocument, Showing } from '../pdf-reader/show-document.ts';
import type { PdfSourceOptions } from './pdf-source-fields.ts';

type Unapplied = { readonly [Name in (typeof UNAPPLIED)[number]]?: unknown };

/** What decides how a PDF is shown. */
export interface ShownOptions extends PdfSourceOptions, Unapplied {
  readonly url?: string | undefined;
  readonly format: string;
  readonly ownSite?: OwnSite | undefined;
  readonly full_page: boolean;
  readonly selector?: string | undefined;
  readonly clip?: object | undefined;
  readonly main_content: boolean;
  readonly visible_text: boolean;
  readonly window_width: number;
  readonly pixel_density: number;
  readonly include?: readonly string[] | undefined;
  readonly pdf_password?: string | undefined;
}

/** Fields of printed documents that would change a file which stays as it is. */
const UNAPPLIED = [
  'pdf_title',
  'pdf_author',
  'pdf_subject',
  'pdf_keywords',
  'pdf_watermark',
  'pdf_page_ranges',
  'pdf_attachments',
  'pdf_standard',
  'pdf_owner_password',
  'pdf_permissions',
  'pdf_header_html',
  'pdf_footer_html',
  'pdf_image_quality',
] as const;

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'avif']);

/** @throws ServiceError ValidationError if `file` names no file */
export function checkFile(options: Pick<ShownOptions, 'file' | 'ownSite'>): void {
  if (options.file !== undefined && fileOf(options) === undefined)
    throw validationError('file: must be a name in files');
}

/** Returns the PDF of the request. */
export function fileOf({ file, ownSite }: Pick<ShownOptions, 'file' | 'ownSite'>): Buffer | undefined {
  return file === undefined ? undefined : ownSite?.files.get(file)?.body;
}

/**
 * Returns a page that shows a PDF: pictures of its pages, with its text behind them if parts of the answer need it, or
 * its text alone.
 * @throws ServiceError ValidationError, NavigationError, PageCrashedError
 */
export async function showPdf(
  body: Buffer,
  options: ShownOptions,
  { page, maxPixels }: { readonly page: Page; readonly maxPixels: number },
): Promise<StandIn> {
  const isPicture = PICTURES.has(options.format);
  const isFile = options.format === 'pdf';
  const unapplied = isFile ? UNAPPLIED.find((field) => options[field] !== undefined) : undefined;
  if (unapplied !== undefined) throw unchanged(unapplied);
  const hasText = (!isPicture && !isFile) || (options.include ?? []).length > 0;
  const shown = await read(body, page, {
    password: options.pdf_password,
    pictures: isPicture ? (options.full_page ? 'all' : (options.pdf_page ?? 1)) : undefined,
    width: Math.round(options.window_width * options.pixel_density),
    maxPixels,
    hasText,
  }).catch((error: unknown) => {
    throw inWords(error, options);
  });
  if (isFile && options.pdf_password !== undefined && !shown.isLocked) throw unchanged('pdf_password');
  if ((options.pdf_page ?? 1) > shown.pageCount)
    throw validationError(`pdf_page: the document has ${shown.pageCount} ${shown.pageCount === 1 ? 'page' : 'pages'}`);
  return {
    ...pageOf(shown, options),
    instead: { main_content: false, visible_text: false, ...(isPicture && areaOf(options)) },
    result: isFile ? body : undefined,
    warnings: warningsOf(shown),
  };
}

/** A caller who asks for a lock or a watermark must not get the file without it. */
function unchanged(field: string): ServiceError {
  return validationError(
    `${field}: has no effect on a PDF as source, which stays as it is; POST /documents changes it`,
  );
}

/** A picture shows the pages alone, however low they are, unless the request names a part of them. */
function areaOf({ selector, clip }: ShownOptions): Partial<ShownOptions> {
  return clip === undefined && selector === undefined ? { selector: '#pages' } : { full_page: true };
}

/** A reader that has read documents, and may read more. */
interface IdleReader {
  readonly reader: PdfReader;
  readonly documents: number;
  readonly timer: NodeJS.Timeout;
}

const idle: IdleReader[] = []; // their processes end with this one
const MOST_IDLE = 2;
/** Its memory grows with the largest document. */
const MOST_DOCUMENTS = 50;
const IDLE_MS = 30_000;

/**
 * Reads in a process for one document at a time. It ends with a document that fails: some are made to hurt their
 * reader. Its start takes 0.1 s.
 */
async function read(body: Buffer, { signal }: Page, showing: Showing): Promise<ShownDocument> {
  const { reader, documents, timer } = idle.pop() ?? { reader: createPdfReader(), documents: 0, timer: undefined };
  clearTimeout(timer);
  try {
    const shown = await raceAbort(reader.show(body, showing), signal);
    keep(reader, documents + 1);
    return shown;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function keep(reader: PdfReader, documents: number): void {
  if (idle.length >= MOST_IDLE || documents >= MOST_DOCUMENTS) {
    void reader.close();
    return;
  }
  const timer = setTimeout(() => {
    const index = idle.findIndex((each) => each.reader === reader);
    if (index !== -1) idle.splice(index, 1);
    void reader.close();
  }, IDLE_MS).unref();
  idle.push({ reader, documents, timer });
}

const SENTENCES: Readonly<Record<PdfProblem, string>> = {
  not_a_pdf: 'it is a PDF that is damaged',
  password_needed: 'it is a PDF with a password',
  unsupported: 'it is a PDF with an encryption that the service does not know',
};

function inWords(error: unknown, { file, pdf_password: password }: ShownOptions): unknown {
  if (error instanceof PeerEndedError) {
    const details = 'the PDF needs too much memory, or ends the program that reads it';
    return new ServiceError('PageCrashedError', 'The PDF could not be read', { details, cause: error });
  }
  if (!(error instanceof PdfProblemError)) return error;
  if (error.problem === 'password_needed')
    return validationError(`pdf_password: ${password === undefined ? 'the PDF needs its password' : 'is wrong'}`);
  const sentence = SENTENCES[error.problem];
  if (file !== undefined) return validationError(`file: ${sentence}`);
  return new ServiceError('NavigationError', `The page could not be loaded: ${sentence}`, { cause: error });
}

const STYLE =
  'html, body { margin: 0; background: #fff } main { width: fit-content; position: relative } img { display: block } .text { position: absolute; inset: 0; overflow: hidden; z-index: -1 } .text > * { max-width: 100% }';

function pageOf(
  { info, language, pages, tooLarge, markup }: ShownDocument,
  { pixel_density: density }: ShownOptions,
): Pick<StandIn, 'html' | 'files'> {
  const meta = Object.entries({ author: info['Author'], description: info['Subject'], keywords: info['Keywords'] })
    .filter(([, text]) => text !== undefined)
    .map(([name, text = '']) => `<meta name="${name}" content="${quoted(text)}">`);
  const pictures = pages.map(({ page, png, width, height }) => {
    const size = `style="width:${width / density}px;height:${height / density}px"`;
    return `<img id="page-${page}" alt="" ${size} src="data:image/png;base64,${Buffer.from(png).toString('base64')}">`;
  });
  // The check of the size of the picture says what is too large.
  const room =
    tooLarge && `<div style="width:${tooLarge.width / density}px;height:${tooLarge.height / density}px"></div>`;
  const isBehind = pages.length > 0;
  const text = markup === '' || !isBehind ? markup : `<div class="text">${markup}</div>`;
  const html = `<!doctype html>
<html${language === undefined ? '' : ` lang="${quoted(language)}"`}>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${quoted(info['Title'] ?? '')}</title>${meta.join('')}
<style>${STYLE}</style>
<body><main id="pages">${room ?? ''}${pictures.join('')}${text}</main>`;
  return { html, files: new Map() };
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function warningsOf({ isCut, lacksText, isDoubtful, hasScripts }: ShownDocument): readonly WarningCode[] {
  return [
    ...(isCut ? (['pdf_text_cut'] as const) : []),
    ...(lacksText ? (['pdf_text_missing'] as const) : []),
    ...(isDoubtful ? (['pdf_text_doubtful'] as const) : []),
    ...(hasScripts ? (['pdf_scripts_ignored'] as const) : []),
  ];
}
