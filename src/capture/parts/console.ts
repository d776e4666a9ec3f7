import { randomUUID } from 'node:crypto';
import type { CDPSession, Protocol } from 'puppeteer';
import { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import { raceAbort } from '../../timeouts.ts';
import { callText } from '../../browser/page/evaluate.ts';
import { tellUncaught } from './in-page/tell-uncaught.ts';
import { type Part, PART_LIMITS } from './part.ts';
import type { Mask } from './secrets.ts';

const MAX_ENTRIES = 500;
const MAX_TEXT_LENGTH = 2_000;
/** What the Console domain says of an error that nothing caught, at the level of a plain line: not what it was. */
const UNCAUGHT = /^Uncaught(?: \(in promise\))?$/;
/** Before what errors say. No page gets to see it; one that guessed it could say no more than by writing to its console. */
const MARK = `${randomUUID()} `;
/** So many the browser keeps, the last, of 10 MB at most. */
const MAX_KEPT = 1_000;

interface Line {
  readonly level: string;
  readonly text: string;
  readonly url: string | null;
  readonly line: number | null;
}

interface Said extends Pick<Protocol.Console.ConsoleMessage, 'text' | 'url' | 'line' | 'column'> {
  readonly level: string;
}

/**
 * What the page has written to its console, and what the browser has said there of it. By the Console domain, which gives text alone:
 * for the Runtime domain, which gives objects, the browser reads properties of what is logged, and pages look out for that. Asked for at the
 * end, when the browser tells what it has kept: a page that writes without end could stop it for all pages by what it would tell meanwhile.
 */
export const consoleLines: Part = {
  description: `What the page wrote to its console, then what the browser said there of it: at most ${MAX_ENTRIES} lines of ${MAX_TEXT_LENGTH} characters. Errors that nothing caught are among them`,
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
  listen: async (page) => {
    const source = callText(tellUncaught, [MARK]);
    await page.onSession((session) => session.send('Page.addScriptToEvaluateOnNewDocument', { source }));
    return undefined;
  },
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
  const completed = createCompletion();
  const add = (said: Said): void => {
    if (++heard >= MAX_KEPT) isTruncated = true;
    const text = completed(said);
    if (text === undefined || entries.length > MAX_ENTRIES) return;
    const { level, url, line } = said;
    const whole = mask(text);
    if (whole.length > MAX_TEXT_LENGTH) isTruncated = true;
    entries.push({
      level: UNCAUGHT.test(said.text) ? 'error' : level === 'verbose' ? 'debug' : level, // as the browser itself calls it
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

/**
 * Gives the text of a line: of an error that nothing caught with what it says, where that was told before it; undefined for the line that
 * told it. An error is known by where it was thrown; a rejection is told right before the line of its own.
 */
function createCompletion(): (said: Said) => string | undefined {
  const messages = new Map<string, string>();
  let reason = '';
  return ({ text, url = '', line = 0, column = 0 }) => {
    if (text.startsWith(MARK)) {
      const end = text.indexOf('\n');
      const [place, message] = [text.slice(MARK.length, end), text.slice(end + 1)];
      if (place === '') reason = message;
      else messages.set(place, message);
      return undefined;
    }
    if (!UNCAUGHT.test(text)) return text;
    if (text === 'Uncaught') return messages.get(`${url}:${line}:${column}`) ?? text;
    const whole = `${text} ${reason}`.trimEnd();
    reason = '';
    return whole;
  };
}
