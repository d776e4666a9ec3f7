import type { Connection } from 'puppeteer';
import type { Logger } from '../../log.ts';

/**
 * Closes every tab that a page opens. Each context has one tab. Headless shell blocks popups by a flag; full Chrome allows them after a
 * click, and a page can click itself.
 */
export function closePopups(connection: Connection, log: Logger): void {
  const firstTab = new Map<string, string>();
  connection.on('Target.targetCreated', ({ targetInfo: { type, targetId, browserContextId } }) => {
    if (type !== 'page' || browserContextId === undefined) return;
    const first = firstTab.get(browserContextId) ?? targetId;
    firstTab.set(browserContextId, first);
    if (first === targetId) return;
    connection.send('Target.closeTarget', { targetId }).catch((error: unknown) => {
      log.debug({ err: error }, 'the popup was already closed');
    });
  });
  connection.on('Target.targetDestroyed', ({ targetId }) => {
    for (const [context, first] of firstTab) if (first === targetId) firstTab.delete(context);
  });
}
