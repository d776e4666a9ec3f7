import type { Protocol } from 'puppeteer';
import { z } from 'zod';
import { type Part, PART_LIMITS } from './part.ts';

const MAX_ENTRIES = 500;
const MAX_TEXT_LENGTH = 2_000;

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
 * for the Runtime domain, which gives objects, the browser reads properties of what is logged, and pages look out for that.
 */
export const consoleLines: Part = {
  description: `What the page and the browser wrote to its console, oldest first: at most ${MAX_ENTRIES} lines of ${MAX_TEXT_LENGTH} characters. Not the errors that nothing caught`,
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
  listen: async (page, mask) => {
    const entries: Line[] = [];
    let isTruncated = false;
    const add = ({ level, text, url, line }: Said): boolean => {
      if (entries.length >= MAX_ENTRIES) {
        isTruncated = true;
        return false;
      }
      const whole = mask(text);
      if (whole.length > MAX_TEXT_LENGTH) isTruncated = true;
      entries.push({
        level: level === 'verbose' ? 'debug' : level, // as the browser itself calls it
        text: whole.slice(0, MAX_TEXT_LENGTH).toWellFormed(),
        url: url === undefined || url === '' ? null : mask(url).slice(0, PART_LIMITS.address),
        line: line ?? null,
      });
      return true;
    };
    // A page that never ends to write would keep us busy with what nobody will read.
    page.followSessions((session) => {
      const leave = (domain: 'Console.disable' | 'Log.disable'): void =>
        void session.send(domain).catch(() => undefined);
      let hasLeft = false;
      session.on('Console.messageAdded', ({ message }) => {
        if (hasLeft || add(message)) return;
        hasLeft = true;
        leave('Console.disable');
      });
      session.on('Log.entryAdded', ({ entry }) => {
        if (entry.source === 'javascript') return;
        if (!add({ ...entry, ...(entry.lineNumber !== undefined && { line: entry.lineNumber + 1 }) }))
          leave('Log.disable');
      });
    });
    const enable = (session: Parameters<Parameters<typeof page.onSession>[0]>[0]): Promise<unknown> =>
      Promise.all([session.send('Console.enable'), session.send('Log.enable')]);
    await Promise.all([page.onSession(enable), page.onWorker(enable)]);
    return () => ({ entries, ...(isTruncated && { truncated: true }) });
  },
};
