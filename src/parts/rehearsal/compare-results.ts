import type { FormatName } from '../../core/capture/formats/format-names.ts';
import { FORMATS } from '../../core/capture/request/formats.ts';
import { compareDocuments, type DocumentTools, pixelsOf } from './compare-documents.ts';
import type { Finding, Result } from './finding.ts';

/** Lines that differ are shown up to this length. */
const MOST_SHOWN = 120;
/** Characters before the first that differs. */
const CONTEXT = 30;
const DATES = /\/(?:CreationDate|ModDate) \(D:[^)]{0,30}\)/g;
/** Names of parts, and the date, which each file of this kind has its own. */
const VARYING = /-{4}MultipartBoundary--\w+-{0,4}|^Date: .*$|cid:[\w-]+@mhtml\.blink|<[\w-]+@mhtml\.blink>/gm;

/**
 * Compares two results of the same capture. Empty if nothing has moved.
 * @throws Error if a document or picture can't be read
 */
export async function compareResults(
  format: FormatName,
  before: Result,
  after: Result,
  tools: DocumentTools,
): Promise<readonly Finding[]> {
  const warnings = compareWarnings(before, after);
  if (Buffer.compare(before.body, after.body) === 0) return warnings;
  return [...warnings, ...(await compareBodies(format, before.body, after.body, tools))];
}

async function compareBodies(
  format: FormatName,
  before: Uint8Array,
  after: Uint8Array,
  tools: DocumentTools,
): Promise<readonly Finding[]> {
  if (format === 'pdf' && withoutDates(before) === withoutDates(after)) return [];
  if (format === 'pdf') return await compareDocuments(before, after, tools);
  if (FORMATS[format].mimeType.startsWith('image/')) return pixelsOf(await tools.comparePictures(before, after));
  return compareLines(Buffer.from(before).toString(), Buffer.from(after).toString());
}

/** The dates of a document differ each time, unless the capture was reproducible. */
function withoutDates(document: Uint8Array): string {
  return Buffer.from(document.buffer, document.byteOffset, document.length).toString('latin1').replaceAll(DATES, '');
}

function compareWarnings({ warnings: before }: Result, { warnings: after }: Result): readonly Finding[] {
  const lost = before.filter((code) => !after.includes(code));
  const added = after.filter((code) => !before.includes(code));
  return [
    ...added.map((code) => ({ kind: 'warnings' as const, message: `there is a warning: ${code}` })),
    ...lost.map((code) => ({ kind: 'warnings' as const, message: `the warning ${code} is gone` })),
  ];
}

function compareLines(before: string, after: string): readonly Finding[] {
  const [old, now] = [before, after].map((text) => text.replaceAll(VARYING, '').split('\n'));
  if (old === undefined || now === undefined) return [];
  const first = now.findIndex((line, index) => line !== old[index]);
  const at = first === -1 ? Math.min(old.length, now.length) : first;
  if (first === -1 && old.length === now.length) return [];
  const place = Math.max(0, differsAt(old[at] ?? '', now[at] ?? '') - CONTEXT);
  return [
    {
      kind: 'lines',
      message: `line ${at + 1} is ${shownFrom(now[at], place)} instead of ${shownFrom(old[at], place)}`,
    },
  ];
}

function differsAt(before: string, after: string): number {
  for (let at = 0; at < Math.min(before.length, after.length); at++) if (before[at] !== after[at]) return at;
  return Math.min(before.length, after.length);
}

function shownFrom(line = '', place: number): string {
  return JSON.stringify(line.slice(place, place + MOST_SHOWN));
}
