import type { CDPSession } from 'puppeteer';

/** Time limit for reading the class, which a page may have replaced by a getter that never returns. */
const QUESTION_MS = 100;
const MOST_SOURCES = 10; // a page may open them one after the other

/** True if a channel of the page has a listener for messages. Messages without a listener can't change the page. */
export async function hearsMessages(session: CDPSession, kind: 'EventSource' | 'WebSocket'): Promise<boolean> {
  try {
    const { result: prototype } = await session.send('Runtime.evaluate', {
      expression: `${kind}.prototype`,
      timeout: QUESTION_MS,
    });
    if (prototype.objectId === undefined) return false;
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
    const { objectId = '' } = objects;
    const { result: sources } = await session.send('Runtime.getProperties', {
      objectId,
      ownProperties: true,
    });
    const heard = await Promise.all(
      sources.slice(0, MOST_SOURCES).map(async ({ value }) => {
        if (value?.objectId === undefined) return false;
        const { listeners } = await session.send('DOMDebugger.getEventListeners', {
          objectId: value.objectId,
        });
        return listeners.some(({ type }) => !/^(?:open|error|close)$/.test(type));
      }),
    );
    return heard.includes(true);
  } catch {
    return false; // the page has navigated, or was closed
  }
}
