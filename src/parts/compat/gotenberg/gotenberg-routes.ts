import { setImmediate as nextTurn } from 'node:timers/promises';
import { WHOLE_SHEET } from '../../../features/documents/header-footer.ts';
import { contentType } from 'mime-types';
import type { Request, RequestHandler } from 'express';
import { MAX_TEMPLATE_LENGTH } from '../../../features/documents/document-fields.ts';
import { validationError } from '../../../core/ground/errors.ts';
import type { Form } from '../../../core/http/request/read-multipart.ts';
import {
  type RouteOptions,
  createCaptureBodyChecks,
  createCapturing,
  type ParseRequest,
} from '../../../core/http/routes/capture-route.ts';
import { tooLarge } from '../../../core/http/request/byte-gatherer.ts';
import { holdPage } from '../../../core/http/request/hold-memory.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { createMutex } from '../../../core/ground/mutex.ts';
import type { HandlerOptions, Route } from '../../../core/http/routes/route.ts';
import type { DocumentsState } from '../../documents/documents.ts';
import { convertOptions, type Fields } from '../convert-options.ts';
import { textOfHeader } from '../option-values.ts';
import { createSendLater, type LaterOptions, readWebhook, type CompatState } from '../send-later.ts';
import { insertMarkdown, textOfFile } from './gotenberg-markdown.ts';
import { attachmentsOf } from './gotenberg-attachments.ts';
import {
  asText,
  FORM_ROUTE,
  isGotenbergOn,
  OUTPUT_NAME,
  SETTING,
  STATUSES,
  TRACE,
  WEBHOOK,
} from './gotenberg-shared.ts';
import { type Finishing, readFinishing, splitOf } from './finish-documents.ts';
import { createSendFinished } from './send-finished.ts';
import { ATTACHED_AS, CONVERT_OPTIONS, PREFERS_PAGE, SCREENSHOT_OPTIONS } from './gotenberg-options.ts';

/**
 * Version of Gotenberg whose interface is offered. Our own version follows as build metadata of semantic versioning.
 */
const VERSION = '8.0.0';
const KINDS = ['convert', 'screenshot'] as const;
const SOURCES = ['url', 'html', 'markdown'] as const;
type Kind = (typeof KINDS)[number];
type Source = (typeof SOURCES)[number];

const INDEX = 'index.html';
const PRINTED = { 'header.html': 'pdf_header_html', 'footer.html': 'pdf_footer_html' };
const MARGIN = '0.39in';
const ERROR_STATUSES = ['4xx', '5xx'];
/** Defaults of Gotenberg 8. */
const DEFAULTS: Readonly<Record<Kind, Fields>> = {
  convert: {
    format: 'pdf',
    pdf_width: '8.5in',
    pdf_height: '11in',
    pdf_margin: { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN, default: true },
    pdf_print_background: false,
    pdf_tagged: false,
  },
  screenshot: {
    format: 'png',
    full_page: true,
    window_width: 800,
    window_height: 600,
    image_quality: 100,
  },
};

/** Routes of Gotenberg 8: what its clients call for pages. */
export const GOTENBERG_ROUTES: readonly Route<CompatState & DocumentsState>[] = [
  ...KINDS.flatMap((kind) => SOURCES.map((source) => createRoute(kind, source))),
  {
    path: '/version',
    methods: ['GET', 'HEAD'],
    name: 'gotenberg',
    callers: 'anyone',
    setting: SETTING,
    isOn: isGotenbergOn,
    createHandler: ({ version }) => answerVersion(version),
  },
];

function createRoute(kind: Kind, source: Source): Route<CompatState & DocumentsState> {
  return {
    path: `/forms/chromium/${kind}/${source}`,
    ...FORM_ROUTE,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, checks: createCaptureBodyChecks, isForm: true },
    errorForm: asText(kind === 'convert' ? CONVERT_OPTIONS : SCREENSHOT_OPTIONS),
    createHandler: (options) => createHandler(options, kind, source),
  };
}

function answerVersion(version: string): RequestHandler {
  return (_request, response) => void response.type('text').send(`${VERSION}+capture-service.${version}`);
}

type GotenbergOptions = RouteOptions & LaterOptions & HandlerOptions & DocumentsState;

/** Converts the Markdown of one request per turn of the event loop: sixty at once kept others from being read. */
const inTurn = createMutex();

function createHandler(options: GotenbergOptions, kind: Kind, source: Source): RequestHandler {
  const { parseFields, budgets, config } = options;
  const known = new WeakMap<Request, ReturnType<typeof apart>>(); // reading a form may take long
  const read = (request: Request): ReturnType<typeof apart> => {
    const found = known.get(request) ?? apart(fieldsOf(request, { kind, source, maxBodyBytes: config.maxBodyBytes }));
    known.set(request, found);
    return found;
  };
  const parse: ParseRequest = (request, { key }) => parseFields(read(request).fields, { key });
  const capture = createCapturing(options, parse);
  const finish = createCapturing(options, parse, {
    send: createSendFinished(options, (request) => read(request).finishing),
  });
  const sendLater = createSendLater(options);
  return async (request, response, next) => {
    const { id, key } = contextOf(response);
    const trace = request.get(TRACE) ?? id;
    response.set(TRACE, trace);
    if (source === 'markdown') await inTurn(() => nextTurn());
    const { fields, finishing } = read(request);
    const isLater = request.get(WEBHOOK.url) !== undefined;
    if (!isLater) {
      await (finishing === undefined ? capture : finish)(request, response, next);
      return;
    }
    if (finishing !== undefined && (finishing.flatten || splitOf(finishing) !== undefined))
      throw validationError(`${WEBHOOK.url}: is not supported with flatten and splitMode`);
    const webhook = readWebhook(request, WEBHOOK, { headers: { [TRACE]: trace }, statuses: STATUSES });
    const requested = await parseFields(fields, { key });
    holdPage(response, requested.capture, budgets.bodies);
    await sendLater(request, response, { fields, requested, webhook });
  };
}

const FINISHING_FIELDS = ['facts', 'flatten', 'split_mode', 'split_span', 'split_unify'];

/** Returns the fields of the capture, and what follows it. Undefined: nothing. */
function apart(all: Fields): { readonly fields: Fields; readonly finishing: Finishing | undefined } {
  const [own, others] = [true, false].map((isOwn) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => FINISHING_FIELDS.includes(name) === isOwn)),
  );
  const finishing = readFinishing(own ?? {}, undefined);
  const isNothing = finishing.pdf.facts === undefined && !finishing.flatten && splitOf(finishing) === undefined;
  return { fields: others ?? {}, finishing: isNothing ? undefined : finishing };
}

interface Reading {
  readonly kind: Kind;
  readonly source: Source;
  readonly maxBodyBytes: number;
}

/** @throws ServiceError ValidationError in Gotenberg's words; PayloadTooLargeError for a page that is too large */
function fieldsOf(request: Request, { kind, source, maxBodyBytes }: Reading): Fields {
  const { fields: given, files }: Form = request.body ?? { fields: new Map(), files: {} };
  const {
    [PREFERS_PAGE]: prefersPage,
    [ATTACHED_AS]: attachedAs,
    ...fields
  }: Record<string, unknown> = {
    fail_on_status: ERROR_STATUSES, // no default of the conversion, which would join the lists
    ...convertOptions(given, kind === 'convert' ? CONVERT_OPTIONS : SCREENSHOT_OPTIONS, DEFAULTS[kind]),
  };
  const name = textOfHeader(request.get(OUTPUT_NAME));
  return {
    ...(kind === 'convert' ? onPaper(fields, prefersPage === true) : fields),
    ...(kind === 'convert' && headersOf(files)),
    ...attachmentsOf(fields, attachedAs),
    ...(source === 'url' ? urlOf(fields, files) : pageOf(source, files, maxBodyBytes)),
    ...(name !== undefined && { file_name: `${name}.${String(fields['format'])}` }),
  };
}

/**
 * If the page sets its paper, or gets a single sheet, the paper size of the request is left out. Bookmarks are made
 * from tags.
 */
function onPaper({ pdf_width: width, pdf_height: height, ...fields }: Fields, prefersPage: boolean): Fields {
  const isSingle = fields['pdf_single_page'] === true;
  return {
    ...fields,
    ...(!prefersPage && { pdf_width: width, ...(!isSingle && { pdf_height: height }) }),
    ...(fields['pdf_outline'] === true && { pdf_tagged: true }),
  };
}

function headersOf(files: Form['files']): Fields {
  const given = Object.entries(PRINTED).filter(([file]) => files[file] !== undefined);
  return Object.fromEntries(
    given.map(([file, field]) => [field, WHOLE_SHEET + withPictures(textOfFile(files[file] ?? ''), files)]),
  );
}

/** Writes the pictures of the form into a header or footer, which loads nothing. Larger ones are left out. */
function withPictures(markup: string, files: Form['files']): string {
  let length = markup.length;
  return markup.replaceAll(/(\ssrc\s*=\s*["']?)([^\s"'<>]{1,200})/gi, (whole, before: string, name: string) => {
    const picture = Object.hasOwn(files, name) ? files[name] : undefined;
    if (picture === undefined || length + picture.length > MAX_TEMPLATE_LENGTH) return whole;
    length += picture.length;
    return `${before}data:${contentType(name) || 'image/png'};base64,${picture}`;
  });
}

function urlOf({ url, pdf_attachments: attachments }: Fields, files: Form['files']): Fields {
  if (typeof url === 'string' && url !== '') return { url, ...(attachments !== undefined && { files }) };
  throw validationError("form field 'url' is required");
}

function pageOf(source: Source, files: Form['files'], maxBytes: number): Fields {
  const { [INDEX]: index, ...others } = files;
  if (index === undefined) throw validationError(`form file '${INDEX}' is required`);
  const page = textOfFile(index);
  if (page.length > maxBytes) throw tooLarge(maxBytes);
  const html = source === 'markdown' ? insertMarkdown(page, others, maxBytes) : page;
  return { url: undefined, html_content: html, ...(Object.keys(others).length > 0 && { files: others }) };
}
