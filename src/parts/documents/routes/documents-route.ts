import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { deliveryHeaders, type Delivery } from '../../../core/capture/request/delivery.ts';
import { checkDeniedFields } from '../../../core/capture/request/request-parser.ts';
import { ownSiteOf } from '../../../core/egress/gate/own-site.ts';
import { resultTooLarge, validationError } from '../../../core/ground/errors.ts';
import { isJsonObject } from '../../../core/ground/parse-json.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { parseBody } from '../../../core/http/request/read-body.ts';
import { withFiles } from '../../../core/http/request/read-multipart.ts';
import type { HandlerOptions, Route } from '../../../core/http/routes/route.ts';
import type { WarningCode } from '../../../core/steps/common/step.ts';
import type { KeptFiles } from '../../jobs/routes/read-kept.ts';
import { type ComposeContext, createCompose } from '../compose.ts';
import type { DocumentsState } from '../documents.ts';
import { zipOf } from '../zip-documents.ts';
import type { GivenFile } from '../assembly/source-document.ts';
import {
  DOCUMENTS_OPERATION,
  documentsSchemas,
  FLATTEN_OPERATION,
  METADATA_OPERATION,
  SPLIT_OPERATION,
} from './documents-operation.ts';
import {
  type DocumentSide,
  documentsRequest,
  flattenRequest,
  metadataRequest,
  splitRequest,
} from './documents-request.ts';
import { createReadDocuments } from './read-document.ts';

type Options = HandlerOptions & DocumentsState & KeptFiles;

const ROUTE = {
  methods: ['POST'],
  callers: 'bearer',
  right: 'capture',
  isLimited: true,
  body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, placeFiles: withFiles },
} as const satisfies Partial<Route<DocumentsState & KeptFiles>>;

/** Documents from documents. */
export const DOCUMENTS_ROUTES: readonly Route<DocumentsState & KeptFiles>[] = [
  {
    ...ROUTE,
    name: 'documents',
    path: '/documents',
    createHandler: createJoinHandler,
    operations: { post: DOCUMENTS_OPERATION },
    schemas: documentsSchemas,
  },
  {
    ...ROUTE,
    name: 'documents_split',
    path: '/documents/split',
    createHandler: createSplitHandler,
    operations: { post: SPLIT_OPERATION },
  },
  {
    ...ROUTE,
    name: 'documents_metadata',
    path: '/documents/metadata',
    createHandler: createMetadataHandler,
    operations: { post: METADATA_OPERATION },
  },
  {
    ...ROUTE,
    name: 'documents_flatten',
    path: '/documents/flatten',
    createHandler: createFlattenHandler,
    operations: { post: FLATTEN_OPERATION },
  },
];

/** What all handlers share. */
function createShared(options: Options) {
  const { config, ports, sendBody } = options;
  const compose = createCompose({ ...options, maxResultBytes: config.maxResultBytes });
  const { read } = createReadDocuments(options);
  return {
    compose,
    read,
    readOne: async (side: DocumentSide, request: Request, response: Response, files: Files): Promise<GivenFile> => {
      const [file] = await read([{ name: 'document', side }], { request, response, files });
      if (file === undefined) throw new Error('no document was read');
      return file;
    },
    /** Sends a document, and stores it if the request says so. */
    send: async (request: Request, response: Response, { body, warnings, delivery }: Sending): Promise<void> => {
      if (body.length > config.maxResultBytes) throw resultTooLarge(config.maxResultBytes);
      const context = contextOf(response);
      if (delivery.store && ports.storeResult === undefined)
        throw validationError('store: needs the setting STORAGE or DATA_DIR');
      const whole = { ...delivery, response_type: 'file' as const };
      const stored = delivery.store
        ? await ports.storeResult?.(request, context, { capture: { format: 'pdf' }, delivery: whole })({
            file: body,
            facts: {},
          })
        : undefined;
      response.set({
        ...deliveryHeaders({ ...whole, file_name: delivery.file_name ?? 'document.pdf' }, { extension: 'pdf' }),
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-store',
        ...(warnings.length > 0 && { 'X-Capture-Warnings': warnings.join(',') }),
        ...stored?.headers,
      });
      sendBody(response.status(200).type('application/pdf'), body, { isKept: false });
    },
  };
}

type Files = Readonly<Record<string, string>>;

interface Sending {
  readonly body: Buffer;
  readonly warnings: readonly WarningCode[];
  readonly delivery: Pick<Delivery, 'store' | 'store_path' | 'file_name' | 'disposition'>;
}

/** Parses a body, also by the rules of the key. */
function parsed<T>(schema: z.ZodType<T>, request: Request, response: Response): T {
  const body: unknown = request.body ?? {};
  const { key, summary } = contextOf(response);
  summary.format = 'pdf';
  if (key !== undefined && isJsonObject(body)) checkDeniedFields(body, key);
  return parseBody(schema, body);
}

function contextFor(response: Response, nameOf: (part: number) => string): ComposeContext {
  const { id, client, key, log, span, signal } = contextOf(response);
  return { id, client, key, log, span, signal, nameOf };
}

const ofDocument = (): string => 'document';

/** Handles `POST /documents`. */
function createJoinHandler(options: Options): RequestHandler {
  const { compose, read, send } = createShared(options);
  return async (request, response) => {
    const given = parsed(documentsRequest, request, response);
    const { parts, files = {}, store, store_path, file_name, disposition, ...composing } = given;
    await options.countAsRunning(async () => {
      const named = parts.map((side, index) => ({ name: `parts[${index}]`, side }));
      const fixed = given.pdf_standard === undefined ? {} : { pdf_standard: given.pdf_standard };
      const opened = await read(named, { request, response, files, fixed });
      const whole = parts.map(({ pages, rotate, title }, index) => {
        const file = opened[index];
        if (file === undefined) throw new Error(`parts[${index}] was not read`);
        return { file, pages, rotate, title };
      });
      const contents = Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
      const ownSite = contents.length === 0 ? undefined : ownSiteOf(new Map(contents));
      const context = contextFor(response, (part) => `parts[${part}]`);
      const made = await compose.join(whole, { ...composing, ownSite }, context);
      await send(request, response, { ...made, delivery: { store, store_path, file_name, disposition } });
    });
  };
}

/** Handles `POST /documents/split`. */
function createSplitHandler(options: Options): RequestHandler {
  const { compose, readOne, send } = createShared(options);
  return async (request, response) => {
    const { document, pieces, files = {}, file_name: name } = parsed(splitRequest, request, response);
    await options.countAsRunning(async () => {
      const file = await readOne(document, request, response, files);
      const made = await compose.change(contextFor(response, ofDocument), (work) => work.split(file, pieces));
      const { documents: pieced, warnings } = made;
      const [only] = pieced;
      if (pieces.mode === 'pages' && pieces.unify && only !== undefined) {
        const delivery = { store: false, file_name: name, disposition: 'attachment' as const };
        await send(request, response, { body: bufferOf(only), warnings, delivery });
        return;
      }
      const named = pieced.map((each, index) => ({
        name: `document-${String(index + 1).padStart(4, '0')}.pdf`,
        body: each,
      }));
      const body = zipOf(named, options.config.maxResultBytes);
      response.set({
        ...deliveryHeaders(
          { store: false, response_type: 'file', disposition: 'attachment', file_name: name ?? 'documents.zip' },
          { extension: 'zip' },
        ),
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-store',
        ...(warnings.length > 0 && { 'X-Capture-Warnings': warnings.join(',') }),
      });
      options.sendBody(response.status(200).type('application/zip'), body, { isKept: false });
    });
  };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Handles `POST /documents/metadata`. */
function createMetadataHandler(options: Options): RequestHandler {
  const { compose, readOne, send } = createShared(options);
  return async (request, response) => {
    const { document, metadata, files = {}, ...delivery } = parsed(metadataRequest, request, response);
    await options.countAsRunning(async () => {
      const file = await readOne(document, request, response, files);
      const context = contextFor(response, ofDocument);
      if (metadata === undefined) {
        const facts = await compose.change(context, (work) => work.facts(file));
        const body = Buffer.from(JSON.stringify(facts));
        response.set('Cache-Control', 'no-store');
        options.sendBody(response.status(200).type('json'), body, { isKept: false });
        return;
      }
      const { body, warnings } = await compose.change(context, (work) => work.write(file, metadata));
      await send(request, response, { body: bufferOf(body), warnings, delivery });
    });
  };
}

/** Handles `POST /documents/flatten`. */
function createFlattenHandler(options: Options): RequestHandler {
  const { compose, readOne, send } = createShared(options);
  return async (request, response) => {
    const { document, files = {}, ...delivery } = parsed(flattenRequest, request, response);
    await options.countAsRunning(async () => {
      const file = await readOne(document, request, response, files);
      const { body, warnings } = await compose.change(contextFor(response, ofDocument), (work) => work.flatten(file));
      await send(request, response, { body: bufferOf(body), warnings, delivery });
    });
  };
}
