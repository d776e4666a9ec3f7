import type { CDPSession, Protocol } from 'puppeteer';

/** Maximum number of tasks without passing time: timers of 0 ms and promises would stop the clock endlessly. */
const MAX_TASKS_AT_ONCE = 1_000;
/** Maximum number of grants in place of one. A script can make the clock of the page report any time. */
const MAX_GRANTS = 10;

/**
 * Does not use `pauseIfNetworkFetchesPending`: after that, later grants fall short, and frames take as long as page
 * time is behind (seconds, headless shell 153, 2026-11-22). Instead, requests are awaited between two grants.
 */
function budgetOf(ms: number, beginMs: number | undefined): Protocol.Emulation.SetVirtualTimePolicyRequest {
  // Chrome reads the date at the first grant only.
  const begin = beginMs === undefined ? {} : { initialVirtualTime: beginMs / 1_000 };
  return { policy: 'advance', budget: ms, maxVirtualTimeTaskStarvationCount: MAX_TASKS_AT_ONCE, ...begin };
}

/**
 * Reports the end of the last grant. Frames of one process replace each other's grants, so most ends are never
 * reported.
 */
const onUsed = new WeakMap<CDPSession, () => void>();

/**
 * Grants page time to the documents of a session, and resolves when it is used up.
 * @param beginMs the date at the first grant, in Unix milliseconds. Default: the real one
 */
export async function passIn(session: CDPSession, ms: number, beginMs?: number): Promise<void> {
  if (!onUsed.has(session)) session.on('Emulation.virtualTimeBudgetExpired', () => onUsed.get(session)?.());
  const used = new Promise<void>((resolve) => void onUsed.set(session, resolve));
  await session.send('Emulation.setVirtualTimePolicy', budgetOf(ms, beginMs));
  await used;
}

/**
 * After a document was replaced, Chrome often reports one end of a grant too many (headless shell 153, 2026-11-26),
 * probably of the grant that it makes again in the new document. Each later end then counts for the next grant, and the
 * last grant would not have ended at the capture. So the clock of the page is read, and what is missing is granted
 * again.
 */
export async function passInSuccessor(
  session: CDPSession,
  ms: number,
  isShown: () => boolean,
  beginMs?: number,
): Promise<void> {
  const endsAt = (await readClock(session)) + ms;
  let left = ms;
  for (let count = 0; left > 0 && count < MAX_GRANTS && isShown(); count++) {
    await passIn(session, left, beginMs);
    left = Math.min(ms, Math.floor(endsAt - (await readClock(session))));
  }
}

/** Returns `performance.now()` of the page. NaN if a script or a navigation has replaced it. */
async function readClock(session: CDPSession): Promise<number> {
  const reading = session.send('Runtime.evaluate', { expression: 'performance.now()' });
  // Rejects if this document is replaced, too. Other waits report a closed page.
  return await reading.then(
    ({ result }) => Number(result.value),
    () => NaN,
  );
}
