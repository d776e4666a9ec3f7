import type { Connection } from 'puppeteer';
import { withTimeout } from '../../timeouts.ts';

const TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 1_000; // probes must not pile up behind each other

/**
 * Whether the browser answers a cheap call; at most two seconds, and the answer counts for one.
 * @param connection gives the one to ask; undefined while there is no browser, which then is not responsive
 */
export function createProbe(connection: () => Connection | undefined): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  return () => {
    if (last === undefined || Date.now() - last.at > MAX_AGE_MS)
      last = { at: Date.now(), answer: ask(connection()) };
    return last.answer;
  };
}

async function ask(connection: Connection | undefined): Promise<boolean> {
  if (connection === undefined) return false;
  try {
    await withTimeout(connection.send('Browser.getVersion'), TIMEOUT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false; // what it says is the answer: not responsive
  }
}
