import { type Browser, launch, type Page } from 'puppeteer';
import { browserEnvironment } from '../../src/core/browser/find/browser-environment.ts';
import { findBrowser } from '../../src/core/browser/find/executable.ts';

/** Launches a browser that simulates a user's own. The caller closes it. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const { search, variables } = browserEnvironment(process.env);
  const { path, kind, environment } = await findBrowser({
    ...search,
    executable: process.env['BROWSER_EXECUTABLE'],
  });
  return launch({
    defaultViewport: { width: 1280, height: 800 },
    executablePath: path,
    headless: kind === 'headless-shell' ? 'shell' : true,
    args: ['--no-sandbox', ...flags],
    env: { ...variables, ...environment },
  });
}

/** Opens a page in a new context, with a list of its faults: errors, policy violations, requests to other origins. */
export async function openPage(
  browser: Browser,
  origin: string,
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const page = await (await browser.createBrowserContext()).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${String(error)}`));
  page.on('console', (message) => {
    // The browser logs every error answer; the page shows it, too.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() !== 'log' && !isAnswer) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url)) complaints.push(`request: ${url}`);
  });
  await page.exposeFunction('complain', (text: string) => complaints.push(text));
  await page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      Reflect.apply(Reflect.get(globalThis, 'complain'), undefined, [`policy: ${violatedDirective} ${blockedURI}`]);
    });
  });
  return { page, complaints };
}
