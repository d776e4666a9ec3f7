import { randomUUID } from 'node:crypto';
import type { CDPSession, Protocol } from 'puppeteer';
import { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import { raceAbort } from '../../core/ground/timeouts.ts';
import { callText } from '../../core/browser/page/evaluate.ts';
import { reportUncaught } from './in-page/report-uncaught.ts';
import { type Part, PART_LIMITS } from './answer-part.ts';
import type { Mask } from './secrets.ts';

const MAX_ENTRIES = 500;
const MAX_TEXT_LENGTH = 2_000;
/** Text of the Console domain for uncaught errors. It does not contain the error message. */
const UNCAUGHT = /^Uncaught(?: \(in promise\))?$/;
/** Marks our own lines. Pages never see it, and a page that guessed it could only write its own console lines. */
const MARK = `${randomUUID()} `;
/** Number of messages that the browser keeps: the last ones, 10 MB at most. */
const MAX_BUFFERED = 1_000;

interface Line {
  readonly level: string;
  readonly text: string;
  readonly url: string | null;
  readonly line: number | null;
}

/** `Console`: messages of the page and its uncaught errors. `Log`: messages of the browser about the page. */
const DOMAINS = ['Console', 'Log'] as const;
type Domains = ReadonlyArray<(typeof DOMAINS)[number]>;

interface Message extends Pick<Protocol.Console.ConsoleMessage, 'text' | 'url' | 'line' | 'column'> {
  readonly level: string;
}

/**
 * Console messages of the page, and messages of the browser about the page. Uses the Console domain, which returns
 * text: for the Runtime domain, the browser reads properties of logged objects, which pages can detect. Enabled at the
 * end, when the browser sends the messages that it has kept. Otherwise a page that logs without end would block the
 * browser.
 */
export const consoleLines: Part = {
  description: `Console messages of the page, then messages of the browser about the page: at most ${MAX_ENTRIES} lines of ${MAX_TEXT_LENGTH} characters. Includes uncaught errors`,
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
    await reportUncaughtErrors(page);
    return undefined;
  },
  query: async (page, mask) => {
    const lists = await readConsole(page, mask, DOMAINS);
    const entries = lists.flatMap((list) => list.entries);
    const isTruncated = entries.length > MAX_ENTRIES || lists.some((list) => list.isTruncated);
    return { entries: entries.slice(0, MAX_ENTRIES), ...(isTruncated && { truncated: true }) };
  },
};

/** Makes the page report the messages of its uncaught errors. For a blank page. */
export async function reportUncaughtErrors(page: Page): Promise<void> {
  const source = callText(reportUncaught, [MARK]);
  await page.onSession((session) => session.send('Page.addScriptToEvaluateOnNewDocument', { source }));
}

/** Returns what the page wrote by `console.error`, and its uncaught errors. */
export async function readPageErrors(page: Page, mask: Mask): Promise<readonly string[]> {
  const lines = (await readConsole(page, mask, ['Console'])).flatMap(({ entries }) => entries);
  return lines.filter(({ level }) => level === 'error').map(({ text }) => text);
}

interface ConsoleLines {
  readonly entries: readonly Line[];
  readonly isTruncated: boolean;
}

async function readConsole(page: Page, mask: Mask, domains: Domains): Promise<readonly ConsoleLines[]> {
  const sessions = [page.session, ...page.children.frames()];
  return await Promise.all(sessions.map((session) => readLines(page, session, { mask, domains })));
}

async function readLines(
  page: Page,
  session: CDPSession,
  { mask, domains }: { readonly mask: Mask; readonly domains: Domains },
): Promise<ConsoleLines> {
  const entries: Line[] = [];
  let received = 0;
  let isTruncated = false;
  const completed = createCompletion();
  const add = (message: Message): void => {
    if (++received >= MAX_BUFFERED) isTruncated = true;
    const text = completed(message);
    if (text === undefined || entries.length > MAX_ENTRIES) return;
    const { level, url, line } = message;
    const shown = mask.start(text, MAX_TEXT_LENGTH);
    if (shown.isCut) isTruncated = true;
    entries.push({
      // the level that the browser displays
      level: UNCAUGHT.test(message.text) ? 'error' : level === 'verbose' ? 'debug' : level,
      text: shown.text,
      url: url === undefined || url === '' ? null : mask.start(url, PART_LIMITS.address).text,
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
    // Kept messages arrive before the answer.
    for (const domain of domains) {
      await raceAbort(session.send(`${domain}.enable`), page.signal);
      await session.send(`${domain}.disable`);
    }
  } catch (error) {
    if (session === page.session) throw error; // otherwise the frame was removed
  } finally {
    session.off('Console.messageAdded', onMessage);
    session.off('Log.entryAdded', onEntry);
  }
  return { entries, isTruncated };
}

/**
 * Returns a function that completes messages of uncaught errors with their text. Our listener logs the text before;
 * that line itself becomes undefined. Errors are matched by their location, rejections by their order.
 */
function createCompletion(): (message: Message) => string | undefined {
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
