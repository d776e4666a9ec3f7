import type { Request, RequestHandler } from 'express';
import { sendFile, createFileMemory } from '../../../core/http/answers/send-file.ts';
import { ServiceError } from '../../../core/ground/errors.ts';
import { parseNamespacedPath } from '../../../core/access/owners.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { isLinkedPath } from '../stored-path.ts';
import type { StorageState, StoredFile } from '../storage.ts';

/** Types that browsers may show in a sandbox. All others are downloads. */
const SHOWN = /^(?:image\/(?:png|jpeg|webp|avif|gif)|application\/pdf|text\/plain)\b/;

/**
 * Handles `GET /stored/<path>` for a verified link, as a stream. Stored content never runs at this origin: it is a
 * download, or is shown in a sandbox.
 */
export function createStoredHandler({ resultStorage, budgets }: StorageState & Pick<Core, 'budgets'>): RequestHandler {
  return async (request, response) => {
    const path = storedPathOf(request);
    createFileMemory(response, budgets.answers)();
    const file = isLinkedPath(parseNamespacedPath(path).path) ? await resultStorage?.get(path) : undefined;
    if (file === undefined) throw noSuchFile();
    const { body } = file;
    response.set(headersOf(path, file));
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    await sendFile(file, response);
  };
}

/** Error for a path without a file. A file of another key gets the same error. */
export function noSuchFile(): ServiceError {
  return new ServiceError('NotFoundError', 'There is no stored result at this path');
}

function headersOf(path: string, { contentType, bytes }: StoredFile): Record<string, string> {
  const disposition = SHOWN.test(contentType) ? 'inline' : 'attachment';
  return {
    'Content-Type': contentType,
    'Content-Length': `${bytes}`,
    'Content-Disposition': `${disposition}; filename="${path.slice(path.lastIndexOf('/') + 1)}"`,
    'Content-Security-Policy': 'sandbox',
    'Cross-Origin-Resource-Policy': 'cross-origin', // pages of any origin may show the result of a link
  };
}

/** Returns the decoded path below `/stored/`. */
export function storedPathOf({ params }: Request): string {
  const parts: unknown = params['path'];
  return Array.isArray(parts) ? parts.join('/') : '';
}
