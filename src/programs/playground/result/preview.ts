import { make } from '../dom.ts';
import { createDataPreview } from './data-preview.ts';
import { source } from './source.ts';
import { type Captured, serviceUrl } from '../send.ts';
import { createTabs } from '../tabs.ts';
import { sizeInWords } from '../format-units.ts';

/** Taller pictures scroll: scaled to fit, their text would be unreadable. */
const MAX_FITTED_RATIO = 1.3;

const PAGE = 'Page';
const SOURCE = 'Source';
/** Characters of markup above which its source is shown first: 5 MB stopped the page for a second (2026-11-30). */
const MOST_RENDERED = 1_000_000;
/** Sizes at which a picture is shown. */
const VIEWS = { whole: 'Whole', width: 'Width', actual: '100 %' };

/** What the preview shows besides the file. */
export interface Subject {
  /** The address, or words for markup. */
  readonly title: string;
  /** True if the window was that of a phone or tablet. */
  readonly isHandheld: boolean;
}

interface Preview {
  readonly content: HTMLElement;
  /** URLs to open and to save the capture. The caller revokes them. */
  readonly links: readonly string[];
  readonly actions: readonly HTMLElement[];
}

/**
 * Shows a capture. Its content is untrusted: pictures and PDFs are embedded, markup is shown in a sandbox, and the rest
 * as text. A blob URL has our origin, so markup never gets a type that a browser would run.
 */
export async function createPreview({ body, type, filename }: Captured, subject: Subject): Promise<Preview> {
  if (type === 'application/json')
    return await createDataPreview({ body, filename }, subject.title, (file) => createPreview(file, subject));
  const isShown = type.startsWith('image/') || type === 'application/pdf';
  const link = URL.createObjectURL(new Blob([body], { type: isShown ? type : 'application/octet-stream' }));
  const download = make('a', { class: 'button', href: link, download: filename }, 'Download');
  const open = make('a', { class: 'quiet', href: link, target: '_blank', rel: 'noopener' }, 'Open');
  if (type.startsWith('image/')) {
    const { content, views } = await createPicture(link, subject);
    return { content, links: [link], actions: [views, open, download] };
  }
  return {
    content: await contentOf({ body, type, link, title: subject.title }),
    links: [link],
    actions: isShown ? [open, download] : [download],
  };
}

/** The picture, and buttons for its size. */
async function createPicture(src: string, { title, isHandheld }: Subject) {
  const picture = make('img', { class: 'picture', src, alt: `Capture of ${title}` });
  await picture.decode().catch(() => undefined); // the browser shows the alternative text
  const isLong = picture.naturalHeight > picture.naturalWidth * MAX_FITTED_RATIO;
  const isUpright = picture.naturalHeight > picture.naturalWidth;
  const content = make('div', { class: isHandheld && isUpright ? 'paper phone' : 'paper' }, picture);
  const buttons = Object.entries(VIEWS).map(([view, name]) => {
    const button = make('button', { type: 'button', class: 'quiet' }, name);
    button.addEventListener('click', () => show(view));
    return { view, button };
  });
  const show = (shown: string): void => {
    content.dataset['view'] = shown;
    for (const { view, button } of buttons) button.setAttribute('aria-pressed', String(view === shown));
  };
  show(isLong ? 'width' : 'whole');
  const views = make(
    'div',
    { class: 'picture-views', role: 'group', 'aria-label': 'Size' },
    ...buttons.map(({ button }) => button),
  );
  return { content, views };
}

interface Shown {
  readonly body: Blob;
  readonly type: string;
  readonly link: string;
  readonly title: string;
}

async function contentOf({ body, type, link, title }: Shown): Promise<HTMLElement> {
  if (type === 'multipart/related')
    return toDownload(
      'The saved page is ready',
      `Download the file (${sizeInWords(body.size)}) and open it in a browser.`,
    );
  if (type.startsWith('text/html')) return rendered(await body.text(), title);
  if (type !== 'application/pdf') return source(await body.text());
  // Browsers on phones have no embedded viewer.
  if (navigator.pdfViewerEnabled) return make('iframe', { class: 'document', src: link, title: `PDF of ${title}` });
  return toDownload(
    'The PDF is ready',
    `This browser can't show PDFs inside a page. Download the file (${sizeInWords(body.size)}).`,
  );
}

/** The captured page as a visitor sees it, without scripts and network, and its source. */
function rendered(markup: string, title: string): HTMLElement {
  const frame = make('iframe', { class: 'document', title: `Page ${title}` });
  // The origin of the frame is its own, so that no other can be named.
  frame.addEventListener('load', () => frame.contentWindow?.postMessage(markup, '*'));
  const text = source(markup);
  const show = (name: string): void => {
    frame.hidden = name !== PAGE;
    text.hidden = name === PAGE;
    if (name === PAGE && frame.src === '') frame.src = serviceUrl('playground/result/frame.html');
  };
  const panel = make('div', { id: 'markup-panel', role: 'tabpanel', 'aria-label': 'Captured page' }, text, frame);
  const selected = markup.length > MOST_RENDERED ? SOURCE : PAGE;
  const tabs = createTabs({ label: 'Views', names: [PAGE, SOURCE], panel: panel.id, selected, onSelect: show });
  show(selected);
  return make('div', { class: 'data' }, tabs.element, panel);
}

/** Link for types that browsers can't embed. */
function toDownload(title: string, hint: string): HTMLElement {
  return make(
    'div',
    { class: 'empty' },
    make('p', { class: 'empty-title' }, title),
    make('p', { class: 'hint' }, hint),
  );
}
