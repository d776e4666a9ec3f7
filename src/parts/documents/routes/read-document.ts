import type { Request, Response } from 'express';
import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { named } from '../../../core/ground/named.ts';
import { draw } from '../../../core/http/request/draw.ts';
import { noRoomForBody } from '../../../core/http/request/byte-gatherer.ts';
import { holdMemory, holdPage } from '../../../core/http/request/hold-memory.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import { createReadKept, type KeptFiles } from '../../jobs/routes/read-kept.ts';
import type { GivenFile } from '../assembly/source-document.ts';
import type { DocumentSide } from './documents-request.ts';

type ReadOptions = KeptFiles &
  Pick<HandlerOptions, 'capture' | 'parseFields' | 'now' | 'budgets' | 'config' | 'limits' | 'countAsRunning'>;

/** The files of a request: contents in base64 by name. */
type Files = Readonly<Record<string, string>>;

interface Reading {
  readonly request: Request;
  readonly response: Response;
  readonly files: Files;
  /** Fields that captures have besides their own. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** What the parts of a request share. */
interface Started {
  /** Aborted when another part has failed, or the client has left. */
  readonly signal: AbortSignal;
  /** Contents of the files that are parts, by name. */
  readonly decoded: Map<string, Buffer>;
}

/** Captures of one request that run at the same time: others wait for pages, too. */
const AT_ONCE = 4;

/** Reads the documents of a request. */
export interface ReadDocuments {
  /**
   * Checks all parts, then reads them. Draws a token of the rate limit for each capture beyond the first.
   * @param parts with their names for errors
   * @throws ServiceError like `/capture`, with the name of the part in its details
   */
  readonly read: (
    parts: readonly { readonly name: string; readonly side: DocumentSide }[],
    reading: Reading,
  ) => Promise<readonly GivenFile[]>;
}

export function createReadDocuments(options: ReadOptions): ReadDocuments {
  const { budgets, config, limits } = options;
  const readKept = createReadKept(
    options,
    (details) => new ServiceError('ResultTooLargeError', undefined, { details }),
  );

  const prepare = async (side: DocumentSide, reading: Reading & Started): Promise<() => Promise<Buffer>> => {
    const { response, files } = reading;
    const { capture, stored, job, base64, file } = side;
    if (capture !== undefined) return await prepareCapture(capture, reading, options);
    if (stored !== undefined) return async () => await readKept({ stored }, response);
    if (job !== undefined) return async () => await readKept({ job }, response);
    const text = file === undefined ? base64 : Object.hasOwn(files, file) ? files[file] : undefined;
    if (text === undefined) throw validationError(`file: must be a name in files${listed(Object.keys(files))}`);
    const known = file === undefined ? undefined : reading.decoded.get(file);
    if (known !== undefined) return async () => known;
    const hold = holdMemory(response, budgets.bodies, contextOf(response).client);
    if (!hold(Math.ceil((text.length * 3) / 4))) throw noRoomForBody();
    const bytes = Buffer.from(text, 'base64');
    if (file !== undefined) reading.decoded.set(file, bytes);
    return async () => bytes;
  };

  return {
    read: async (parts, reading) => {
      const failed = new AbortController();
      const signal = AbortSignal.any([contextOf(reading.response).signal, failed.signal]);
      const started = { ...reading, signal, decoded: new Map<string, Buffer>() };
      const prepared: (() => Promise<Buffer>)[] = [];
      for (const { name, side } of parts) prepared.push(await named(name, () => prepare(side, started)));
      const captures = parts.filter(({ side }) => side.capture !== undefined).length;
      for (let more = 1; more < captures; more++) await draw(limits.capture, reading.request, reading.response);
      const read: GivenFile[] = [];
      let bytes = 0;
      for (let from = 0; from < parts.length; from += AT_ONCE) {
        const batch = parts.slice(from, from + AT_ONCE);
        const bodies = await Promise.all(
          batch.map(({ name }, index) =>
            named(name, async () => (await prepared[from + index]?.()) ?? Buffer.alloc(0)),
          ),
        ).catch((error: unknown) => {
          failed.abort(); // the other captures would go on for nobody
          throw error;
        });
        for (const [index, body] of bodies.entries()) {
          bytes += body.length;
          if (bytes > config.maxResultBytes)
            throw new ServiceError('ResultTooLargeError', undefined, {
              details: `the parts have more than ${config.maxResultBytes} bytes together`,
            });
          read.push({ body, password: passwordOf(batch[index]?.side) });
        }
      }
      return read;
    },
  };
}

const MOST_LISTED = 10;

/** A file of a multipart body has its file name, whatever its part is called. */
function listed(names: readonly string[]): string {
  return names.length === 0
    ? ''
    : `: ${names.slice(0, MOST_LISTED).join(', ')}${names.length > MOST_LISTED ? ', …' : ''}`;
}

/** A capture may have a password of its own, which opens it. */
function passwordOf(side: DocumentSide | undefined): string | undefined {
  const { pdf_password: password } = side?.capture ?? {};
  return side?.password ?? (typeof password === 'string' ? password : undefined);
}

async function prepareCapture(
  fields: Readonly<Record<string, unknown>>,
  { response, signal, fixed }: Reading & Started,
  { parseFields, capture, budgets }: ReadOptions,
): Promise<() => Promise<Buffer>> {
  const { id, client, key, log, span } = contextOf(response);
  const { format, response_type: type, store } = fields;
  if (format !== undefined && format !== 'pdf') throw validationError('format: must be pdf, or unset');
  if (type !== undefined || store !== undefined)
    throw validationError(`${type === undefined ? 'store' : 'response_type'}: has no effect here`);
  const { capture: options } = await parseFields(fields, { key, fixed: { ...fixed, format: 'pdf' } });
  holdPage(response, options, budgets.bodies);
  const hold = holdMemory(response, budgets.answers, client);
  return async () => {
    const { file } = await capture(options, { id, client, key, log, span, signal });
    if (!hold(file.length))
      throw new ServiceError('OverloadedError', 'Too little memory is free for the parts', { retryAfterSeconds: 1 });
    return file;
  };
}
