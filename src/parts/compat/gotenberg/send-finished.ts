import type { Request, Response } from 'express';
import { create } from 'content-disposition';
import { resultTooLarge } from '../../../core/ground/errors.ts';
import type { CaptureAnswer } from '../../../core/capture/capture.ts';
import type { RequestOptions } from '../../../core/capture/request/options.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import { createCompose } from '../../documents/compose.ts';
import type { DocumentsState } from '../../documents/documents.ts';
import { zipOf } from '../../documents/zip-documents.ts';
import { type Finishing, finishAll, splitAll, splitOf } from './finish-documents.ts';

interface Sendable {
  readonly options: RequestOptions;
  readonly answer: CaptureAnswer;
}

/** Creates the function that sends a printed page after its form was obeyed: metadata, flattened, split. */
export function createSendFinished(
  options: HandlerOptions & DocumentsState,
  finishingOf: (request: Request) => Finishing | undefined,
) {
  const { maxResultBytes } = options.config;
  const compose = createCompose({ ...options, maxResultBytes });
  return async (request: Request, response: Response, { options: requested, answer }: Sendable): Promise<void> => {
    const finishing = finishingOf(request);
    if (finishing === undefined) throw new Error('nothing is to be done with this page');
    const { capture, delivery } = requested;
    const given = delivery.file_name?.replace(/\.pdf$/i, '');
    const doing = { compose, response };
    const { pdf_password: userPassword, pdf_owner_password: ownerPassword } = capture;
    const page = { name: `${given ?? 'document'}.pdf`, body: answer.file, password: ownerPassword ?? userPassword };
    const pieces = splitOf(finishing);
    const { pdf_standard, pdf_permissions } = capture;
    const locked = { pdf_standard, pdf_permissions, pdf_password: userPassword, pdf_owner_password: ownerPassword };
    const whole = { ...finishing, pdf: { ...finishing.pdf, ...locked } };
    const made = await finishAll(pieces === undefined ? [page] : await splitAll([page], pieces, doing), whole, doing);
    const [only] = made;
    const isOne = made.length === 1 && only !== undefined;
    const body = isOne ? only.body : zipOf(made, maxResultBytes);
    if (body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
    const extension = isOne ? 'pdf' : 'zip';
    response.set({ 'Content-Disposition': create(`${given ?? 'document'}.${extension}`), 'Cache-Control': 'no-store' });
    options.sendBody(response.status(200).type(`application/${extension}`), body, { isKept: false });
  };
}
