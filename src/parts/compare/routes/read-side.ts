import type { Response } from 'express';
import type { CaptureAnswer } from '../../../core/capture/capture.ts';
import { type ComparedSide, UNUSED_FIELDS } from '../compare-call.ts';
import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { createReadKept, type KeptFiles } from '../../jobs/routes/read-kept.ts';
import { holdPage } from '../../../core/http/request/hold-memory.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import type { CompareRequest, RequestedSide } from './compare-request.ts';

/** Fields of a side that is a capture: its picture without loss, or its text. */
const FIXED = { pixels: { format: 'png' }, text: { format: 'markdown' } } as const;

export interface ReadSide extends ComparedSide {
  /** The capture of a side that is one. */
  readonly answer?: CaptureAnswer;
}

type SideOptions = KeptFiles & Pick<HandlerOptions, 'capture' | 'parseFields' | 'now' | 'budgets' | 'config'>;

interface SideContext {
  readonly response: Response;
  /** Aborted when the other side has failed. */
  readonly signal: AbortSignal;
  /** Selectors of elements that are left out. */
  readonly selectors: readonly string[];
  readonly mode: CompareRequest['mode'];
}

/**
 * Returns a function that prepares a side: it checks the request, and returns the function that reads the picture.
 * @throws ServiceError like `/capture`; NotFoundError, JobNotFinishedError, JobExpiredError
 */
export function createReadSide(options: SideOptions) {
  const readKept = createReadKept(options, (details) => new ServiceError('NotComparableError', undefined, { details }));
  return async (side: RequestedSide, context: SideContext): Promise<() => Promise<ReadSide>> => {
    if ('capture' in side) return await capturedSide(side.capture, context, options);
    if ('base64' in side) {
      const bytes = Buffer.from(side.base64, 'base64');
      return async () => ({ bytes });
    }
    return async () => ({ bytes: await readKept(side, context.response) });
  };
}

async function capturedSide(
  fields: Readonly<Record<string, unknown>>,
  { response, signal, selectors, mode }: SideContext,
  { parseFields, capture, budgets }: SideOptions,
): Promise<() => Promise<ReadSide>> {
  const { id, client, key, log, span } = contextOf(response);
  const unused = UNUSED_FIELDS.filter((name) => fields[name] !== undefined);
  if (unused.length > 0) throw validationError(unused.map((name) => `${name}: has no effect here`).join('; '));
  const { capture: options } = await parseFields(fields, { key, fixed: FIXED[mode] });
  const isResized = options.resize_width !== undefined || options.resize_height !== undefined;
  if (isResized && selectors.length > 0)
    throw validationError('ignore: a selector needs captures that are not resized');
  holdPage(response, options, budgets.bodies);
  const context = { id, client, key, log, span, signal };
  if (mode === 'text')
    return async () => {
      const answer = await capture(
        { ...options, hide_selectors: [...(options.hide_selectors ?? []), ...selectors] },
        context,
      );
      return { bytes: answer.file, answer };
    };
  return async () => {
    const compared = { ...options, include: ['elements' as const], maskedSelectors: selectors };
    const answer = await capture(compared, context);
    const { file: bytes, parts, facts } = answer;
    const place = isResized ? undefined : { page: facts.place, density: options.pixel_density };
    return { bytes, answer, elements: parts.get('elements'), place };
  };
}
