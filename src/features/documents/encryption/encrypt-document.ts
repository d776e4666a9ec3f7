import { ServiceError } from '../../../core/ground/errors.ts';
import { callTwice } from '../../../core/processes/call-once.ts';
import { isOutOfMemory, startProcess } from '../../../core/processes/peers.ts';
import { LIMIT_MS } from '../../../core/ground/time-limits.ts';
import type { DocumentOptions } from '../document-fields.ts';
import type { Lock } from './encrypt.ts';

const ENCRYPTER = new URL('encrypt-process', import.meta.url);
const MAX_HEAP_MB = 1_024;
const startEncrypter = () =>
  startProcess(ENCRYPTER, { timeoutMs: LIMIT_MS.render, execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`] });

/** Returns how the request locks its document. Undefined: not at all. */
export function lockOf(
  options: Partial<Pick<DocumentOptions, 'pdf_password' | 'pdf_owner_password' | 'pdf_permissions'>>,
): Lock | undefined {
  const { pdf_password: userPassword, pdf_owner_password: ownerPassword, pdf_permissions: permissions } = options;
  if (userPassword === undefined && ownerPassword === undefined) return undefined;
  return { userPassword, ownerPassword, permissions };
}

/**
 * Encrypts a document in a process of its own: a large one takes seconds and much memory. The start takes 0.3 s.
 * @throws the signal's reason; Error when it fails
 */
export async function encryptDocument(body: Buffer, lock: Lock, signal: AbortSignal): Promise<Buffer> {
  const encrypted: Uint8Array = await callTwice(startEncrypter, [body, lock], signal).catch((error: unknown) => {
    if (!isOutOfMemory(error)) throw error;
    const details = 'the document has too many parts to be encrypted';
    throw new ServiceError('ResultTooLargeError', undefined, { details, cause: error });
  });
  return Buffer.from(encrypted);
}
