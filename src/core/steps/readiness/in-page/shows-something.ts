import {
  all,
  attribute,
  boxOf,
  computed,
  documentOf,
  first,
  isDocument,
  isElement,
  isRendered,
  matches,
  parentElementOf,
  read,
} from '../../in-page/nodes.ts';
import { everywhere, rootsOf } from '../../in-page/roots-of.ts';

/** An app that never fades in is blank, too. */
const SEEN = { visibilityProperty: true, opacityProperty: true };
/** Texts and elements that are looked at. A page with more counts as one that shows something. */
const MOST_NODES = 2_000;
const UNSEEN = 'script, style, link, meta, template, noscript, form:empty';
const DRAWN = 'img, svg, canvas, video, iframe, object, embed, input, button, select, textarea, progress, meter, hr';

/**
 * True if the page shows text, a picture, a control or a painted box, not only its own background. Also true for a page
 * that consists of scripts alone. Runs in the page.
 */
export function showsSomething(): boolean {
  if (isOfScripts()) return true;
  let left = MOST_NODES;
  for (const root of rootsOf()) {
    const whole = isDocument(root) ? read(Document.prototype, root, 'documentElement') : root;
    if (whole === null) continue;
    const kinds = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    const walker = Document.prototype.createTreeWalker.call(documentOf(root), whole, kinds);
    for (let node: Node | null = walker.currentNode; node !== null; node = walker.nextNode()) {
      if (left-- === 0 || (isElement(node) ? isPainted(node) : isShownText(node))) return true;
    }
  }
  return false;
}

function isOfScripts(): boolean {
  const body = read(Document.prototype, document, 'body');
  const inside = body === null ? [] : all(body, ':scope > *').slice(0, MOST_NODES);
  return first(document, 'script') !== null && inside.every((element) => matches(element, UNSEEN));
}

function isShownText(text: Node): boolean {
  if (!/\S/.test(read(Node.prototype, text, 'textContent') ?? '')) return false;
  const parent = parentElementOf(text);
  return parent === null || isRendered(parent, SEEN);
}

function isPainted(element: Element): boolean {
  if (!isRendered(element, SEEN)) return false;
  if (matches(element, DRAWN)) return true;
  const { backgroundImage, backgroundColor } = computed(element);
  const hasContent = ['::before', '::after'].some(
    (pseudo) => !/^(?:none|normal)$/.test(computed(element, pseudo).content),
  );
  if (backgroundImage !== 'none' || hasContent) return true;
  const { width, height } = boxOf(element);
  return (
    !matches(element, 'html, body') && width * height > 0 && !/^(?:transparent|rgba\(.*, 0\))$/.test(backgroundColor)
  );
}

/** Frames that are looked at. */
const MOST_FRAMES = 200;
/** Types and addresses of what only a plug-in can draw. */
const TYPE = /^application\/(?:pdf|x-shockwave-flash|x-silverlight|x-java-applet)/i;
const ADDRESS = /^data:application\/pdf[;,]|^[^?#]{0,2000}\.(?:pdf|swf)(?:[?#]|$)/i;

/** True if the page shows a frame, object or embed whose content this browser can't draw. Runs in the page. */
export function hasUndrawnFrame(): boolean {
  return everywhere('iframe[src], object, embed')
    .take(MOST_FRAMES)
    .some((frame) => needsPlugin(frame) && isRendered(frame, { visibilityProperty: true }));
}

function needsPlugin(frame: Element): boolean {
  const type = attribute(frame, 'type') ?? '';
  const address = attribute(frame, frame.localName === 'object' ? 'data' : 'src') ?? '';
  const isDrawn = navigator.pdfViewerEnabled && !/flash|\.swf/i.test(type + address);
  return !isDrawn && (TYPE.test(type) || ADDRESS.test(address));
}
