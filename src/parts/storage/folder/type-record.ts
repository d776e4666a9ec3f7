import { type BigIntStats, constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { orNothing } from './folders.ts';
import { FILE_MODE, writePart } from './parts.ts';

const SEPARATOR = ', ';
/**
 * Separator before the identity of the file. It has the form of a media type parameter, so that earlier versions can
 * read the record.
 */
const MARK = '; file=';
/** Number of entries that a shortened record keeps: one for each writer that may be between record and rename. */
const KEPT = 20;
const LONGEST_RECORD_BYTES = 4_096;

/** Path of the record that holds the media type of a file. */
export function recordOf(file: string): string {
  return join(dirname(file), `.${basename(file)}~type`);
}

/** Identifies the bytes of a file. A rename keeps this id, so it is known before the file is at its path. */
export function identityOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}

/**
 * Appends the media type of a file that is about to be renamed to its path. Appending loses no entry of another
 * process, so the record contains the type of the file that is renamed last.
 */
export async function addType(file: string, contentType: string, identity: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  await using record = await open(recordOf(file), flags, FILE_MODE);
  const known = await record.readFile('utf8');
  const start = known === '' || known.endsWith(SEPARATOR) ? '' : SEPARATOR;
  await record.appendFile(`${start}${contentType}${MARK}${identity}${SEPARATOR}`);
  await record.sync();
}

/** Shortens a long record, and restores the entry if another process shortened or deleted the record meanwhile. */
export async function settleType(root: string, file: string, contentType: string, identity: string): Promise<void> {
  const entries = entriesOf(await readRecord(file));
  const lengthBytes = entries.join(SEPARATOR).length;
  if (lengthBytes > LONGEST_RECORD_BYTES) {
    const kept = entries.slice(-KEPT).map((entry) => `${entry}${SEPARATOR}`);
    await rename(await writePart(root, Buffer.from(kept.join(''))), recordOf(file));
  }
  const settled = await readRecord(file);
  if (typeIn(settled, identity) === undefined) await addType(file, contentType, identity);
}

/** Returns the text of the record; empty if there is none. */
export async function readRecord(file: string): Promise<string> {
  return (await orNothing(readFile(recordOf(file), 'utf8'), ['ENOENT', 'ENOTDIR'])) ?? '';
}

/** Returns the media type that belongs to these bytes; undefined if the record does not name them. */
export function typeIn(record: string, identity: string): string | undefined {
  const end = `${MARK}${identity}`;
  return entriesOf(record)
    .findLast((entry) => entry.endsWith(end))
    ?.slice(0, -end.length);
}

/**
 * Returns the newest media type. Used for records of an earlier version, and for files that were copied or restored.
 */
export function newestTypeIn(record: string): string | undefined {
  return entriesOf(record).at(-1)?.split(MARK)[0];
}

function entriesOf(record: string): readonly string[] {
  return record.split(SEPARATOR).filter((entry) => entry !== '');
}
