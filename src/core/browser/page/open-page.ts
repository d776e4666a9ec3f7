import type { CDPSession, Connection } from 'puppeteer';
import type { GatePorts } from '../../egress/gate/gate.ts';
import { type Page, preparePage, type Tabs } from './page.ts';
import type { Window } from './screen.ts';

interface PageOptions {
  /** Ports for all connections of the page. */
  readonly gate: GatePorts;
  /** Initial window. */
  readonly window: Window;
  /** Wraps `requestAnimationFrame`, so that its callbacks run in page time when page time runs ahead. */
  readonly wrapsFrameCallbacks?: boolean;
}

/** Opens a tab in a new context. The caller closes it. */
export async function openPage(tabs: Tabs, { gate, window, wrapsFrameCallbacks = false }: PageOptions): Promise<Page> {
  const { connection } = tabs;
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: proxiesOf(gate),
    proxyBypassList: '<-loopback>', // without this entry, Chrome connects directly to localhost and 169.254.169.254
  });
  try {
    const [{ targetId }] = await Promise.all([
      connection.send('Target.createTarget', { url: 'about:blank', browserContextId }),
      connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    ]);
    const session = await attachTo(connection, targetId);
    return await preparePage(tabs, session, { browserContextId, targetId, window, wrapsFrameCallbacks });
  } catch (error) {
    await connection.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
    throw error;
  }
}

/** Attaches to a tab that was just created. */
export function attachTo(connection: Connection, targetId: string): Promise<CDPSession> {
  const blank = { type: 'page', title: '', url: '', attached: false, canAccessOpener: false };
  return connection.createSession({ targetId, ...blank });
}

/** The `socks` entry is the default for WebSockets and for schemes that Chrome may add. */
function proxiesOf({ port, webSocketPort }: GatePorts): string {
  const proxies = { http: port, https: port, socks: webSocketPort };
  return Object.entries(proxies)
    .map(([scheme, to]) => `${scheme}=socks5://127.0.0.1:${to}`)
    .join(';');
}
