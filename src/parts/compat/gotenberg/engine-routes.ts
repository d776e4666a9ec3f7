import type { Request, RequestHandler, Response } from 'express';
import { create } from 'content-disposition';
import { ownSiteOf } from '../../../core/egress/gate/own-site.ts';
import { resultTooLarge, validationError } from '../../../core/ground/errors.ts';
import type { Form } from '../../../core/http/request/read-multipart.ts';
import { holdMemory } from '../../../core/http/request/hold-memory.ts';
import { noRoomForBody } from '../../../core/http/request/byte-gatherer.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { HandlerOptions, Route } from '../../../core/http/routes/route.ts';
import { zipOf } from '../../documents/zip-documents.ts';
import { type Compose, createCompose } from '../../documents/compose.ts';
import type { DocumentsState } from '../../documents/documents.ts';
import { convertOptions } from '../convert-options.ts';
import { textOfHeader } from '../option-values.ts';
import type { CompatState } from '../send-later.ts';
import { describeFacts } from './document-facts-options.ts';
import { ENGINE_OPTIONS } from './engine-options.ts';
import { type Finishing, finishAll, type NamedPdf, readFinishing, splitOf, splitAll } from './finish-documents.ts';
import { asText, FORM_ROUTE, OUTPUT_NAME, TRACE, WEBHOOK } from './gotenberg-shared.ts';

type EngineState = CompatState & DocumentsState;
type EngineOptions = HandlerOptions & EngineState;

interface Engine {
  readonly files: readonly NamedPdf[];
  readonly finishing: Finishing;
  readonly compose: Compose;
  readonly response: Response;
}

/** What each route does with the PDFs of its form. Several results are sent as a zip. */
type Work = (engine: Engine) => Promise<readonly NamedPdf[]>;

/** Orders names as people do: 2 before 10. */
const inOrder = new Intl.Collator('en', { numeric: true });

const ROUTES: Readonly<Record<string, Work>> = {
  merge: async ({ files, finishing, compose, response }) => {
    const context = contextFor(response, files);
    const { rotate, pdf, flatten } = finishing;
    const parts = files.map(({ name, body }) => ({ file: { body }, rotate, title: titleOf(name) }));
    const { body } = await compose.join(parts, { ...pdf, flatten }, context);
    return [{ name: 'merged.pdf', body }];
  },
  split: async ({ files, finishing, compose, response }) => {
    const pieces = splitOf(finishing);
    if (pieces === undefined)
      throw validationError("form field 'splitMode' is required\nform field 'splitSpan' is required");
    const split = await splitAll(files, pieces, { compose, response });
    return await finishAll(split, finishing, { compose, response });
  },
  flatten: async ({ files, finishing, ...rest }) => await finishAll(files, { ...finishing, flatten: true }, rest),
  convert: async ({ files, finishing, ...rest }) => {
    if (finishing.pdf.pdf_standard === undefined)
      throw validationError("either 'pdfa' or 'pdfua' form fields must be provided");
    return await finishAll(files, finishing, rest);
  },
  encrypt: async ({ files, finishing, ...rest }) => {
    const { pdf_password: user, pdf_owner_password: owner } = finishing.pdf;
    if (user === undefined && owner === undefined)
      throw validationError("a 'userPassword' or 'ownerPassword' is required");
    return await finishAll(files, finishing, rest);
  },
  'metadata/write': async ({ files, finishing, ...rest }) => {
    if (finishing.pdf.facts === undefined) throw validationError("form field 'metadata' is required");
    return await finishAll(files, finishing, rest);
  },
};

/** Routes that answer with JSON, by the name of each file. */
const READERS: Readonly<Record<string, (engine: Engine, file: NamedPdf) => Promise<unknown>>> = {
  'metadata/read': async ({ compose, response, files }, file) =>
    describeFacts(await compose.change(contextFor(response, files), (work) => work.facts({ body: file.body })), file),
  'bookmarks/read': async ({ compose, response, files }, file) => {
    const { bookmarks } = await compose.change(contextFor(response, files), (work) => work.facts({ body: file.body }));
    return bookmarks.map(withoutEmpty);
  },
};

interface Listed {
  readonly title: string;
  readonly page: number | null;
  readonly children: readonly Listed[];
}

/** Gotenberg leaves out empty lists. */
function withoutEmpty({ title, page, children }: Listed): object {
  return { title, page, ...(children.length > 0 && { children: children.map(withoutEmpty) }) };
}

function titleOf(name: string): string {
  return name.replace(/\.pdf$/i, '');
}

/** Routes of Gotenberg 8 for PDFs. */
export const ENGINE_ROUTES: readonly Route<EngineState>[] = [
  ...Object.entries(ROUTES).map(([path, work]) => routeOf(path, (options) => createWorkHandler(options, work))),
  ...Object.entries(READERS).map(([path, read]) => routeOf(path, (options) => createReadHandler(options, read))),
];

function routeOf(path: string, createHandler: (options: EngineOptions) => RequestHandler): Route<EngineState> {
  return {
    path: `/forms/pdfengines/${path}`,
    ...FORM_ROUTE,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, isForm: true },
    errorForm: asText(ENGINE_OPTIONS),
    createHandler,
  };
}

function createWorkHandler(options: EngineOptions, work: Work): RequestHandler {
  const { config, sendBody, countAsRunning } = options;
  const read = createRead(options);
  return async (request, response) => {
    const engine = read(request, response);
    await countAsRunning(async () => {
      const made = await work(engine);
      const given = textOfHeader(request.get(OUTPUT_NAME));
      const [only] = made;
      const isOne = made.length === 1 && only !== undefined;
      const body = isOne ? only.body : zipOf(made, config.maxResultBytes);
      if (body.length > config.maxResultBytes) throw resultTooLarge(config.maxResultBytes);
      const extension = isOne ? 'pdf' : 'zip';
      const name = given === undefined ? (isOne ? only.name : 'documents.zip') : `${given}.${extension}`;
      response.set({ 'Content-Disposition': create(name), 'Cache-Control': 'no-store' });
      sendBody(response.status(200).type(`application/${extension}`), body, { isKept: false });
    });
  };
}

function createReadHandler(
  options: EngineOptions,
  readEach: (engine: Engine, file: NamedPdf) => Promise<unknown>,
): RequestHandler {
  const read = createRead(options);
  return async (request, response) => {
    const engine = read(request, response);
    await options.countAsRunning(async () => {
      const found: [string, unknown][] = [];
      for (const file of engine.files) found.push([file.name, await readEach(engine, file)]);
      const body = Buffer.from(JSON.stringify(Object.fromEntries(found)));
      response.set('Cache-Control', 'no-store');
      options.sendBody(response.status(200).type('json'), body, { isKept: false });
    });
  };
}

/** Reads the form: its options, and its PDFs by name. */
function createRead(options: EngineOptions): (request: Request, response: Response) => Engine {
  const compose = createCompose({ ...options, maxResultBytes: options.config.maxResultBytes });
  return (request, response) => {
    const { id, client, summary } = contextOf(response);
    response.set(TRACE, request.get(TRACE) ?? id);
    summary.format = 'pdf';
    if (request.get(WEBHOOK.url) !== undefined) throw validationError(`${WEBHOOK.url}: is not supported on this route`);
    const form: Form = request.body ?? { fields: new Map(), files: {} };
    const fields = convertOptions(form.fields, ENGINE_OPTIONS);
    const embedded = new Set(form.fields.get('embeds') ?? []);
    const invoice = form.fields.get('facturxXml') ?? [];
    const names = Object.keys(form.files).filter((name) => /\.pdf$/i.test(name) && !embedded.has(name));
    if (names.length === 0) throw validationError('no form file found for extensions: [.pdf]');
    const hold = holdMemory(response, options.budgets.bodies, client);
    const files = names.toSorted(inOrder.compare).map((name): NamedPdf => {
      const text = form.files[name] ?? '';
      if (!hold(Math.ceil((text.length * 3) / 4))) throw noRoomForBody();
      return { name, body: Buffer.from(text, 'base64') };
    });
    const contents = [...embedded, ...invoice].flatMap((name) => {
      const text = Object.hasOwn(form.files, name) ? form.files[name] : undefined;
      return text === undefined ? [] : [[name, Buffer.from(text, 'base64')] as const];
    });
    return { files, finishing: readFinishing(fields, ownSiteOf(new Map(contents))), compose, response };
  };
}

function contextFor(response: Response, files: readonly NamedPdf[]) {
  const { id, client, key, log, span, signal } = contextOf(response);
  return { id, client, key, log, span, signal, nameOf: (part: number) => files[part]?.name ?? 'the document' };
}
