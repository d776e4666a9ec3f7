import type { CDPSession, Protocol } from 'puppeteer';
import { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import { raceAbort } from '../../timeouts.ts';
import { type Part, PART_LIMITS } from './part.ts';
import type { Mask } from './secrets.ts';

const MAX_ENTRIES = 500;
const MAX_TEXT_LENGTH = 2_000;
/** What the Console domain says of an error that nothing caught, at the level of a plain line. What it was, only the Runtime domain tells. */
const UNCAUGHT = /^Uncaught(?: \(in promise\))?$/;
/** So many the browser keeps, the last, of 10 MB at most. */
const MAX_KEPT = 1_000;

interface Line {
  readonly level: string;
  readonly text: string;
  readonly url: string | null;
  readonly line: number | null;
}

interface Said extends Pick<Protocol.Console.ConsoleMessage, 'text' | 'url' | 'line'> {
  readonly level: string;
}

/**
 * What the page has written to its console, and what the browser has said there of it. By the Console domain, which gives text alone:
 * for the Runtime domain, which gives objects, the browser reads properties of what is logged, and pages look out for that. Asked for at the
 * end, when the browser tells what it has kept: a page that writes without end could stop it for all pages by what it would tell meanwhile.
 */
export const consoleLines: Part = {
  description: `What the page wrote to its console, then what the browser said there of it: at most ${MAX_ENTRIES} lines of ${MAX_TEXT_LENGTH} characters. Of errors that nothing caught, where they were thrown, not what they say`,
  schema: z.object({
    entries: z.array(
      z.object({
        level: z.string(),
        text: z.string(),
        url: z.string().nullable(),
        line: z.number().nullable(),
      }),
    ),
    truncated: z.literal(true).optional(),
  }),
  ask: async (page, mask) => {
    const lists = await Promise.all(
      [page.session, ...page.children.frames()].map((session) => readLines(page, session, mask)),
    );
    const entries = lists.flatMap((list) => list.entries);
    const isTruncated = entries.length > MAX_ENTRIES || lists.some((list) => list.isTruncated);
    return { entries: entries.slice(0, MAX_ENTRIES), ...(isTruncated && { truncated: true }) };
  },
};

async function readLines(
  page: Page,
  session: CDPSession,
  mask: Mask,
): Promise<{ readonly entries: readonly Line[]; readonly isTruncated: boolean }> {
  const entries: Line[] = [];
  let heard = 0;
  let isTruncated = false;
  const add = ({ level, text, url, line }: Said): void => {
    if (++heard >= MAX_KEPT) isTruncated = true;
    if (entries.length > MAX_ENTRIES) return;
    const whole = mask(text);
    if (whole.length > MAX_TEXT_LENGTH) isTruncated = true;
    entries.push({
      level: UNCAUGHT.test(text) ? 'error' : level === 'verbose' ? 'debug' : level, // as the browser itself calls it
      text: whole.slice(0, MAX_TEXT_LENGTH).toWellFormed(),
      url: url === undefined || url === '' ? null : mask(url).slice(0, PART_LIMITS.address).toWellFormed(),
      line: line ?? null,
    });
  };
  const onMessage = ({ message }: Protocol.Console.MessageAddedEvent): void => add(message);
  const onEntry = ({ entry }: Protocol.Log.EntryAddedEvent): void => {
    add({ ...entry, ...(entry.lineNumber !== undefined && { line: entry.lineNumber + 1 }) });
  };
  session.on('Console.messageAdded', onMessage);
  session.on('Log.entryAdded', onEntry);
  try {
    // What was kept is told before the answer comes.
    for (const domain of ['Console', 'Log'] as const) {
      await raceAbort(session.send(`${domain}.enable`), page.signal);
      await session.send(`${domain}.disable`);
    }
  } catch (error) {
    if (session === page.session) throw error; // else the frame is gone
  } finally {
    session.off('Console.messageAdded', onMessage);
    session.off('Log.entryAdded', onEntry);
  }
  return { entries, isTruncated };
}
