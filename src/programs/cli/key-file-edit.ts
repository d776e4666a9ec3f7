import { chmodSync, chownSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FIELD_NAMES } from '../../core/capture/request/options.ts';
import { errorCode } from '../../core/ground/errors.ts';
import { type FileKey, parseKeyFile, readKeyFile as readBytes } from '../../core/access/key-file.ts';
import { syncFolder } from '../../parts/storage/folder/folders.ts';
import { OutputError, UsageError } from './exit.ts';

/** A key as the file has it. */
export interface KeyEntry {
  readonly id?: unknown;
  readonly token_sha256?: readonly string[];
  readonly [field: string]: unknown;
}

const OWNER_ONLY = 0o600;
const MODE_BITS = 0o777;

/**
 * Returns the keys of a file.
 * @throws UsageError that names the file and the problem
 */
export function readKeyFile(file: string): readonly FileKey[] {
  return parse(read(file), (problem) => `${file}: ${problem}`);
}

/** @throws UsageError that names the invalid field of a new key */
export function checkEntry(entry: KeyEntry): void {
  parse(toBytes([entry]), (problem) => problem.replace(/^keys\[0\]\.?/, ''));
}

/**
 * Changes the keys of a file, or creates it. A service sees the old file or the new one. Keeps owner and mode of the
 * file, so that the service can still read it.
 * @param announce called before the change is in force. If it fails, the file stays as it is
 * @throws UsageError if the file or the new keys are invalid, or another command is changing it
 */
export async function changeKeyFile(
  file: string,
  change: (keys: readonly KeyEntry[]) => readonly KeyEntry[],
  announce?: () => Promise<void>,
): Promise<void> {
  const path = targetOf(file);
  const draft = `${path}.new`;
  // Only one command can create the draft, so no change is lost.
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: OWNER_ONLY });
  } catch (error) {
    const isOther = errorCode(error) === 'EEXIST';
    const reason = isOther ? 'another command is changing the file; if none is, remove it' : describe(error);
    throw new UsageError(`${draft} can't be written: ${reason}`, { cause: error });
  }
  try {
    const bytes = toBytes(change(entriesOf(file, path)));
    parse(bytes, (problem) => `${file}: ${problem}`);
    writeFileSync(draft, bytes, { flush: true }); // a power failure leaves the old file or the new one
    keepOwner(path, draft);
    await announce?.();
    renameSync(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof UsageError || error instanceof OutputError) throw error;
    throw new UsageError(`${file} can't be changed: ${describe(error)}`, { cause: error });
  }
}

/** The file itself, because a rename would replace a symbolic link. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return file;
    throw new UsageError(`${file} can't be read: ${describe(error)}`, { cause: error });
  }
}

function entriesOf(file: string, path: string): readonly KeyEntry[] {
  let bytes: Buffer;
  try {
    bytes = readBytes(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  parse(bytes, (problem) => `${file}: ${problem}`);
  const { keys }: { readonly keys: readonly KeyEntry[] } = JSON.parse(bytes.toString('utf8'));
  return keys;
}

function keepOwner(path: string, draft: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  chmodSync(draft, found.mode & MODE_BITS);
  const made = statSync(draft);
  if (made.uid !== found.uid || made.gid !== found.gid) chownSync(draft, found.uid, found.gid);
}

function toBytes(keys: readonly KeyEntry[]): Buffer {
  return Buffer.from(`${JSON.stringify({ keys }, undefined, 2)}\n`);
}

function read(file: string): Buffer {
  try {
    return readBytes(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${describe(error)}`, { cause: error });
  }
}

function parse(bytes: Buffer, describeProblem: (problem: string) => string): readonly FileKey[] {
  try {
    return parseKeyFile(bytes, new Set(FIELD_NAMES));
  } catch (error) {
    throw new UsageError(describeProblem(describe(error)), { cause: error });
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
