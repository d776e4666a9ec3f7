import type { Page } from '../browser/page/page.ts';
import type { GateSession } from '../egress/gate/gate-session.ts';
import { OWN_ORIGIN, type OwnSite } from '../egress/gate/own-site.ts';
import type { Source } from './navigation.ts';
import { type CaptureOptions, features } from './request/options.ts';

const NO_FILES: OwnSite['files'] = new Map();

/** The start of an element that loads a file, up to the address. No `<` in it: the time grows with the length only. */
const ELEMENT = String.raw`<(?:img|script|link|source|iframe|video|audio|embed|object|image|input)\b[^<>]*?\s(?:src|href|poster|data)\s*=\s*["']?`;
/** A file that an element of the markup shows or runs, named without its site. */
const NAMES_FILE = new RegExp(`${ELEMENT}(?![a-z][a-z0-9+.-]*:|[\\\\/]{2}|[#"'>\\s])`, 'i');
/** A file on the disk or in the mail of the sender, which nobody else can read. */
const NAMES_OWN_FILE = new RegExp(`${ELEMENT}(?:file|cid):`, 'i');
/** A part of a mail, by its id. */
const PART = /(["'(=]\s{0,9})cid:([^"'()\s<>]{1,200})/gi;

/**
 * Returns what the page navigates to. Markup with files, names of files, a base URL, dark mode or `init_script` is
 * served by the gate to this capture alone; other markup is written into the blank page.
 */
export async function openSource(
  page: Page,
  options: CaptureOptions,
  gateSession: Pick<GateSession, 'serve'>,
): Promise<Source> {
  const { url, html_content: markup = '', base_url: base, ownSite, dark_mode, init_script } = options;
  if (url !== undefined) return { url };
  const files = ownSite?.files ?? NO_FILES;
  const [made] = features.flatMap(({ markup: make }) => make?.(page, options) ?? []);
  const html = (await made) ?? withParts(markup, files);
  // In dark mode, Chrome paints about:blank black, even behind the black text of a page without dark styles.
  // With an address, files that the markup lacks are requested, and so noticed, and scripts may use storage.
  const needsAddress =
    ownSite !== undefined || dark_mode === true || init_script !== undefined || NAMES_FILE.test(html);
  if (base === undefined && !needsAddress) return { html_content: html };
  const address = gateSession.serve({ html, files });
  if (base === undefined) return { url: address };
  await answerFromSite(page, base, files);
  return { url: base };
}

/** True if supplied markup shows a file that only the computer of its sender has. */
export function namesOwnFile({
  html_content: markup = '',
  ownSite,
}: Pick<CaptureOptions, 'html_content' | 'ownSite'>): boolean {
  return NAMES_OWN_FILE.test(withParts(markup, ownSite?.files ?? NO_FILES));
}

/** Addresses the parts of a mail as files. */
function withParts(markup: string, files: OwnSite['files']): string {
  if (files.size === 0) return markup;
  return markup.replaceAll(PART, (whole, before: string, id: string) => {
    const name = decodePath(id);
    return files.has(name) ? before + encodeURIComponent(name) : whole;
  });
}

/** True for the address of supplied markup. */
export function isSupplied(address: string, { url, base_url: base }: CaptureOptions): boolean {
  if (address.startsWith(`${OWN_ORIGIN}/`)) return true;
  return url === undefined && base !== undefined && withoutHash(address) === withoutHash(base);
}

/**
 * Answers requests for the base URL and for files beside it from the own site. The page sees the requested addresses.
 * All other requests go to the network.
 */
async function answerFromSite(page: Page, base: string, files: OwnSite['files']): Promise<void> {
  const address = withoutHash(base);
  const folder = new URL('.', address).href;
  const pathOf = (requested: string): string | undefined => {
    if (requested === address) return '';
    const path = requested.startsWith(folder) ? requested.slice(folder.length) : '';
    return files.has(decodePath(path)) ? path : undefined;
  };
  await page.intercept({
    patterns: [address, ...(files.size === 0 ? [] : [`${folder}*`])].map((urlPattern) => ({
      urlPattern: urlPattern.replaceAll(/[\\?]/g, String.raw`\$&`),
      requestStage: 'Request',
    })),
    onRequest: ({ request: { url: requested, method } }) => {
      const path = method === 'GET' || method === 'HEAD' ? pathOf(withoutHash(requested)) : undefined;
      return path === undefined ? undefined : { block: false, url: `${OWN_ORIGIN}/${path}` };
    },
  });
}

function decodePath(path: string): string {
  const [name = ''] = path.split('?', 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}

function withoutHash(address: string): string {
  return new URL(address).href.split('#', 1)[0] ?? address;
}
