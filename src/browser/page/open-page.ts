import { type Page, preparePage, type Tabs, type Window } from './page.ts';

interface PageOptions {
  /** All connections of the page go to the gate here. */
  readonly gatePort: number;
  /** What it is opened with. */
  readonly window: Window;
}

/** Opens a tab in a fresh context. The caller closes it. */
export async function openPage(tabs: Tabs, { gatePort, window }: PageOptions): Promise<Page> {
  const { connection } = tabs;
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `socks5://127.0.0.1:${gatePort}`,
    proxyBypassList: '<-loopback>', // without it Chrome goes straight to localhost and to 169.254.169.254
  });
  try {
    const [{ targetId }] = await Promise.all([
      connection.send('Target.createTarget', { url: 'about:blank', browserContextId }),
      connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    ]);
    const session = await connection.createSession({
      targetId,
      type: 'page',
      title: '',
      url: '',
      attached: false,
      canAccessOpener: false,
    });
    return await preparePage(tabs, session, { browserContextId, targetId, window });
  } catch (error) {
    await connection.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
    throw error;
  }
}
