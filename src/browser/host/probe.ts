import type { Connection } from 'puppeteer';
import { withTimeout } from '../../timeouts.ts';

const TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 1_000; // probes must not pile up

/**
 * Returns a function that tells whether the browser answers a cheap call within two seconds. The result is cached for one second.
 * @param connection connection of the browser. Undefined without a browser, which counts as not responsive
 */
export function createProbe(connection: () => Connection | undefined): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  return () => {
    if (last === undefined || performance.now() - last.at > MAX_AGE_MS)
      last = { at: performance.now(), answer: probeBrowser(connection()) };
    return last.answer;
  };
}

async function probeBrowser(connection: Connection | undefined): Promise<boolean> {
  if (connection === undefined) return false;
  try {
    await withTimeout(connection.send('Browser.getVersion'), TIMEOUT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false; // counts as not responsive
  }
}
