import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PdfFile } from '../../pdf-file.ts';
import { rejection } from '../rejection.ts';
import { drawingsOf } from '../sheet-drawings.ts';

const pack = promisify(deflate);
const BEGINS_MARK = /B(?:DC|MC)$/;
const TAGGED = '<</MCID ';
const DRAWS_FORM = /^\/X(\d+) Do$/;
const FORMS = /^\/X(\d+) Do$/gm;
/** Commands that leave something on the sheet. */
const PAINTS = /(?:^|\s)(?:f\*?|F|B\*?|b\*?|S|s|sh|Do|Tj|TJ)$/;

/**
 * Marks what is drawn without tags as artifact: backgrounds, borders, shadows, list markers, header and footer. Chrome
 * does so for none of them (Chromium 153). The order of drawing stays.
 * @throws ServiceError PageRejectedError if something with tags is drawn twice, as Chrome draws what a mask covers
 */
export async function markArtifacts(file: PdfFile): Promise<Buffer> {
  const { tagged, hasTagsTwice } = await inspectForms(file);
  if (hasTagsTwice) throw rejection('PDF/UA-1 does not allow content under a mask');
  const marked = new Map<number, Buffer>();
  for await (const { number, dictionary, commands, isForm } of drawingsOf(file)) {
    if (isForm && !tagged.has(number)) continue;
    const packed = await pack(Buffer.from(withArtifacts(commands, tagged), 'latin1'));
    const head = `${number} 0 obj\n<<${dictionary}/Filter /FlateDecode\n/Length ${packed.length}>> stream\n`;
    const parts = [Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream\nendobj\n', 'latin1')];
    marked.set(number, Buffer.concat(parts));
  }
  await setImmediate(); // the whole document is written at once
  return file.withReplaced(marked);
}

/** Forms that have tags in them, or in a form that they draw. */
interface TaggedForms {
  readonly tagged: ReadonlySet<number>;
  /** True if one of them is drawn more than once: a tag may stand for one drawing. */
  readonly hasTagsTwice: boolean;
}

async function inspectForms(file: PdfFile): Promise<TaggedForms> {
  const tagged = new Set<number>();
  const uses = new Map<number, number>();
  const users = new Map<number, number[]>();
  for await (const { number, commands, isForm } of drawingsOf(file)) {
    if (isForm && commands.includes(TAGGED)) tagged.add(number);
    for (const [, digits] of commands.matchAll(FORMS)) {
      const form = Number(digits);
      uses.set(form, (uses.get(form) ?? 0) + 1);
      if (isForm) users.set(form, [...(users.get(form) ?? []), number]);
    }
  }
  for (const form of tagged) for (const user of users.get(form) ?? []) tagged.add(user);
  return { tagged, hasTagsTwice: [...tagged].some((form) => (uses.get(form) ?? 0) > 1) };
}

/** Wraps what is between tags. Chrome begins and ends tags outside of paths and texts, so these places are safe. */
function withArtifacts(commands: string, tagged: ReadonlySet<number>): string {
  const written: string[] = [];
  let between: string[] = [];
  let depth = 0; // of marks inside of a tag, or inside of what is between
  let isInTag = false;
  const flush = (): void => {
    const paints = between.some((line) => PAINTS.test(line));
    for (const line of paints ? ['/Artifact BMC', ...between, 'EMC'] : between) written.push(line);
    between = [];
  };
  for (const line of commands.split('\n')) {
    const [, form] = DRAWS_FORM.exec(line) ?? [];
    const begins = BEGINS_MARK.test(line);
    const isTagged = (begins && line.includes(TAGGED)) || tagged.has(Number(form));
    if (depth === 0 && isTagged) flush();
    if (depth === 0) isInTag = isTagged;
    (isInTag ? written : between).push(line);
    depth += begins ? 1 : line === 'EMC' ? -1 : 0;
  }
  flush();
  return written.join('\n');
}
