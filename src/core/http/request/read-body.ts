import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError, validationError } from '../../ground/errors.ts';
import { fieldPath } from '../../ground/field-path.ts';
import type { MemoryBudget } from '../../ground/memory-budget.ts';
import { MAX_FILES_BYTES } from '../../capture/request/source-fields.ts';
import { createByteGatherer, noRoomForBody, tooLarge } from './byte-gatherer.ts';
import { holdMemory } from './hold-memory.ts';
import { type PlaceFiles, readForm, readMultipart } from './read-multipart.ts';
import { contextOf } from './request-context.ts';
import type { z } from 'zod';

/** application/json in UTF-8 only: a lenient decoder would capture other text than was sent. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

const MULTIPART_TYPE = /^multipart\/form-data\s*;/i;

/** Limits of the bodies of a route. */
export interface BodyRules {
  /** Maximum size of JSON. */
  readonly maxBytes: number;
  /** Puts the files of a multipart body into its JSON. Undefined: the route takes JSON only. */
  readonly placeFiles?: PlaceFiles | undefined;
  /** True for multipart forms instead of JSON. `request.body` is then a `Form`. */
  readonly isForm?: true | undefined;
}

/** Bytes of each body that need no reservation: requests with a URL are served even if memory is short. */
const FREE_BYTES = 16_384;

/** Refuses a body by its headers, before reading it. */
export function createBodyCheck(rules: BodyRules): RequestHandler {
  return (request, _response, next) => {
    if (hasBody(request.headers)) {
      const isPlain = request.get('Content-Encoding') === undefined;
      const isJson = rules.isForm !== true && JSON_TYPE.test(request.get('Content-Type') ?? '');
      const isKnown = isJson || isMultipart(request, rules);
      if (!isPlain || !isKnown) {
        const lacksBoundary = acceptsMultipart(rules) && request.is('multipart/form-data') === 'multipart/form-data';
        throw new ServiceError('UnsupportedMediaTypeError', undefined, {
          details: lacksBoundary
            ? 'multipart/form-data needs a boundary'
            : isPlain
              ? `Content-Type: must be ${typesOf(rules)}`
              : 'Content-Encoding: must not be set',
        });
      }
      const maxBytes = maxBytesOf(request, rules);
      if (announcedBytes(request) > maxBytes) throw tooLarge(maxBytes);
    }
    next();
  };
}

function typesOf(rules: BodyRules): string {
  if (rules.isForm === true) return 'multipart/form-data';
  return acceptsMultipart(rules) ? 'application/json, or multipart/form-data with files' : 'application/json';
}

/**
 * Reads the body of a POST up to the limit: JSON, or JSON and files in a multipart body. Leaves `request.body`
 * undefined if there is none. Its bytes count against the budget until the request is answered, because the parsed
 * values are held until then.
 */
export function createReadBody(rules: BodyRules, budget: MemoryBudget): RequestHandler {
  return async (request, response, next) => {
    if (hasBody(request.headers)) {
      const take = takeRoom(request, response, budget);
      if (request.headers.expect !== undefined) response.writeContinue();
      request.body = await parsed(request, rules, take);
    }
    next();
  };
}

async function parsed(request: Request, rules: BodyRules, take: (bytes: number) => boolean): Promise<unknown> {
  const maxBytes = maxBytesOf(request, rules);
  const limits = { maxBytes, maxJsonBytes: rules.maxBytes, take };
  if (rules.isForm === true) return await readForm(request, limits);
  if (rules.placeFiles === undefined || !isMultipart(request, rules)) {
    return parseJson(await readBytes(request, maxBytes, take));
  }
  const { json, files } = await readMultipart(request, limits);
  return rules.placeFiles(parseJson(json), files);
}

function acceptsMultipart({ placeFiles, isForm }: BodyRules): boolean {
  return placeFiles !== undefined || isForm === true;
}

function isMultipart(request: Request, rules: BodyRules): boolean {
  return acceptsMultipart(rules) && MULTIPART_TYPE.test(request.get('Content-Type') ?? '');
}

function maxBytesOf(request: Request, rules: BodyRules): number {
  return isMultipart(request, rules) ? rules.maxBytes + MAX_FILES_BYTES : rules.maxBytes;
}

/** @throws ServiceError OverloadedError if there is no memory for the announced length */
function takeRoom(request: Request, response: Response, budget: MemoryBudget): (bytes: number) => boolean {
  const client = request.ip;
  if (!budget.hasRoomFor(Math.max(0, announcedBytes(request) - FREE_BYTES), client)) throw noRoomForBody();
  const hold = holdMemory(response, budget, client);
  const context = contextOf(response);
  let free = FREE_BYTES;
  return (bytes) => {
    context.bodyBytes += bytes;
    const counted = Math.max(0, bytes - free);
    free -= bytes - counted;
    return hold(counted);
  };
}

/**
 * Reads at most `limit` bytes. A longer body is refused at the first byte above it; `lingerAfterAnswer` discards the
 * rest.
 */
function readBytes(request: Request, limit: number, take: (bytes: number) => boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = createByteGatherer(take);
    let length = 0;
    const refuse = (error: ServiceError): void => {
      request.off('data', onData).pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) refuse(tooLarge(limit));
      else if (!gathered.add(chunk)) refuse(noRoomForBody());
    };
    request.on('data', onData);
    request.once('end', () => resolve(gathered.finish()));
    request.once('error', () => reject(validationError('The body is not complete')));
  });
}

/** True if the headers announce a body. */
export function hasBody(headers: { readonly [name: string]: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function announcedBytes({ headers }: Request): number {
  return Number(headers['content-length'] ?? 0);
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw validationError('The body must be JSON in UTF-8');
  const problem = jsonShapeProblem(bytes);
  if (problem !== undefined) throw validationError(problem);
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    return parsed;
  } catch (error) {
    throw validationError('The body must be valid JSON', error);
  }
}

const MAX_DEPTH = 32;
const MAX_MEMBERS = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks nesting and number of members of a JSON text before it is parsed: ten megabytes of brackets or a million
 * members would block the event loop. Returns the problem, or undefined. Does not check the syntax.
 */
export function jsonShapeProblem(text: Buffer): string | undefined {
  let depth = 0;
  let members = 0;
  let inString = false;
  // One pass over the bytes: ten megabytes take about 20 ms.
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) inString = !inString;
    else if (inString)
      at += byte === BACKSLASH ? 1 : 0; // an escaped character can't end the string
    else if (byte === COMMA) members++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else continue;
    if (depth > MAX_DEPTH) return `The body may be nested at most ${MAX_DEPTH} levels deep`;
    if (members > MAX_MEMBERS) return `The body may have at most ${MAX_MEMBERS} members`;
  }
  return undefined;
}

const MOST_ISSUES = 10;
const MAX_SHOWN_NAME = 64;

/**
 * Validates a JSON body by its schema. Capture fields are validated by `parseOptions`.
 * @throws ServiceError ValidationError that names the problem
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw validationError(error.issues.slice(0, MOST_ISSUES).map(describeIssue).join('; '), error);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${key.slice(0, MAX_SHOWN_NAME)}: is not a known field`).join('; ');
  return issue.path.length === 0 ? issue.message : `${fieldPath(issue.path)}: ${issue.message}`;
}
