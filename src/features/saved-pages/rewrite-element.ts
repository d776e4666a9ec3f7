import { type DefaultTreeAdapterTypes, defaultTreeAdapter as tree, html } from 'parse5';
import { DRAWN, HIDDEN, SOURCES, WRITTEN } from './kept-attributes.ts';

type Element = DefaultTreeAdapterTypes.Element;

/** Addresses of what a document shows. */
export interface Inliner {
  /** Returns a file as a `data:` address. Undefined if the page has not loaded it. */
  readonly dataOf: (address: string) => string | undefined;
  /** Returns CSS whose addresses are `data:`. */
  readonly cssOf: (css: string) => string;
  /** Returns the CSS of a linked style sheet. Undefined if the page has not loaded it. */
  readonly sheetOf: (address: string) => string | undefined;
  /** Returns the markup of a frame. Undefined if it is not saved. */
  readonly frameOf: (address: string) => string | undefined;
  /** Returns the element of another drawing that an address names, copied. Undefined if the page has not loaded it. */
  readonly drawingOf: (address: string) => Element | undefined;
  /** Returns the part after `#` of an address in this document. Undefined for other addresses. */
  readonly placeOf: (address: string) => string | undefined;
}

const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'noscript', 'base', 'portal']);
/** Kinds of links that load nothing. */
const HARMLESS_LINKS = /^(?:canonical|author|license|help|prev|next|alternate|me)$/;
/** Attributes with the address of something that is shown. */
const SHOWN = ['src', 'poster', 'data', 'background'];
/** Attributes of drawings that may name a part of the document. */
const PAINTS = [
  'fill',
  'stroke',
  'filter',
  'mask',
  'clip-path',
  'marker-start',
  'marker-mid',
  'marker-end',
  'cursor',
  'style',
];
/** Attributes that a frame does not keep. */
const OF_FRAMES: ReadonlySet<string> = new Set(['src', 'srcdoc', 'sandbox', 'allow', 'loading', WRITTEN]);
const IS_HANDLER = /^on/i;
const ENDED = '*, ::before, ::after { animation-duration: 0s !important; animation-delay: 0s !important; }';
const KEPT_METAS = /^(?:content-language|default-style|x-ua-compatible)$/i;

/** Makes an element need nothing else than the file. Returns false for one that the file must not have. */
export function rewriteElement(element: Element, inliner: Inliner): boolean {
  const { tagName: name } = element;
  if (LEFT_OUT.has(name)) return false;
  if (name === 'meta') return isKept(element);
  if (name === 'link') return rewriteLink(element, inliner);
  element.attrs = element.attrs.filter(
    (each) => !IS_HANDLER.test(each.name) && each.name !== 'ping' && each.name !== 'nonce',
  );
  rename(element, HIDDEN, 'hidden');
  if (name === 'html') change(element, WRITTEN, () => undefined);
  if (name === 'style') rewriteStyle(element, inliner);
  else if (name === 'iframe' || name === 'frame') rewriteFrame(element, inliner);
  else if (name === 'template') openTemplate(element);
  else if (name === 'use') drawUsed(element, inliner);
  else {
    rewriteSources(element, inliner);
    rewriteAddresses(element, inliner);
  }
  for (const paint of PAINTS) change(element, paint, (css) => (/url\(/i.test(css) ? inliner.cssOf(css) : css));
  drawCanvas(element);
  return true;
}

function isKept(meta: Element): boolean {
  const refresh = valueOf(meta, 'http-equiv');
  if (refresh !== undefined && !KEPT_METAS.test(refresh)) return false;
  return valueOf(meta, 'charset') === undefined;
}

/** Style sheets become style elements, and icons `data:`. */
function rewriteLink(link: Element, { sheetOf, dataOf }: Inliner): boolean {
  const kinds = (valueOf(link, 'rel') ?? '').toLowerCase().split(/\s+/);
  const href = valueOf(link, 'href') ?? '';
  if (kinds.includes('stylesheet')) {
    const css = kinds.includes('alternate') || valueOf(link, 'disabled') !== undefined ? undefined : sheetOf(href);
    if (css === undefined) return false;
    link.tagName = 'style';
    link.nodeName = 'style';
    const media = valueOf(link, 'media');
    link.attrs = media === undefined ? [] : [{ name: 'media', value: media }];
    setText(link, css);
    return true;
  }
  if (!kinds.includes('icon')) return kinds.every((kind) => HARMLESS_LINKS.test(kind));
  const data = dataOf(href);
  if (data !== undefined) change(link, 'href', () => data);
  return data !== undefined;
}

function rewriteStyle(style: Element, { cssOf }: Inliner): void {
  const css = style.childNodes.map((node) => (tree.isTextNode(node) ? node.value : '')).join('');
  setText(style, cssOf(css));
}

function setText(element: Element, css: string): void {
  element.childNodes = [];
  tree.insertText(element, css.replaceAll(/<\/(?=style)/gi, String.raw`<\/`));
}

function rewriteFrame(frame: Element, { frameOf, dataOf }: Inliner): void {
  const written = valueOf(frame, WRITTEN);
  const source = written === undefined ? valueOf(frame, 'src') : `${WRITTEN}:${written}`;
  const markup = source === undefined ? undefined : frameOf(source);
  const data = source === undefined || markup !== undefined ? undefined : dataOf(source);
  frame.attrs = frame.attrs.filter(({ name }) => !OF_FRAMES.has(name));
  if (data?.startsWith('data:image/') === true) frame.attrs.push({ name: 'src', value: data });
  if (markup === undefined) return;
  // `srcdoc` has no quirks mode, in which documents without a doctype were laid out.
  if (frame.tagName === 'frame' || !markup.startsWith('<!DOCTYPE')) {
    if (frame.tagName === 'iframe') frame.attrs.push({ name: 'sandbox', value: '' });
    const value = `data:text/html;charset=utf-8;base64,${Buffer.from(markup, 'utf8').toString('base64')}`;
    frame.attrs.push({ name: 'src', value });
  } else frame.attrs.push({ name: 'srcdoc', value: markup }, { name: 'sandbox', value: '' });
}

/** Pictures and other files. Those that the page has not loaded are left out: they would be requested. */
function rewriteSources(element: Element, { dataOf }: Inliner): void {
  if (valueOf(element, SOURCES) !== undefined) change(element, 'srcset', () => undefined);
  rename(element, SOURCES, 'srcset');
  change(element, 'srcset', (value) => candidates(value, dataOf));
  if (element.tagName === 'img' && valueOf(element, 'srcset') !== undefined) change(element, 'src', () => undefined);
  for (const name of SHOWN) change(element, name, dataOf);
  change(element, 'imagesrcset', () => undefined);
  change(element, 'loading', () => undefined);
  if (element.tagName === 'source' && valueOf(element, 'srcset') === undefined && valueOf(element, 'src') === undefined)
    change(element, 'media', () => 'not all');
}

/** Returns the candidates of `srcset` that the page has loaded. */
function candidates(value: string, dataOf: Inliner['dataOf']): string | undefined {
  const kept = value.split(/,\s+|,(?=https?:)/).flatMap((candidate) => {
    const [address = '', ...descriptors] = candidate.trim().split(/\s+/);
    const data = dataOf(address);
    return data === undefined ? [] : [[data, ...descriptors].join(' ')];
  });
  return kept.length === 0 ? undefined : kept.join(', ');
}

/** Links keep their addresses; those within the document lead to their place in the file. */
function rewriteAddresses(element: Element, { dataOf, placeOf }: Inliner): void {
  const isLink = element.tagName === 'a' || element.tagName === 'area';
  for (const each of element.attrs) {
    const { value } = each;
    const name = fullName(each); // `xlink:href` of older drawings
    if (name === 'href' || name === 'xlink:href') {
      if (/^\s*javascript:/i.test(value)) change(element, name, () => undefined);
      else if (isLink) change(element, name, (address) => placeOf(address) ?? address);
      else
        change(element, name, (address) => placeOf(address) ?? (address.startsWith('#') ? address : dataOf(address)));
    } else if ((name === 'action' || name === 'formaction') && /^\s*javascript:/i.test(value))
      change(element, name, () => undefined);
  }
}

/** Browsers refuse `data:` addresses here, so a part of another drawing is copied in place of the reference. */
function drawUsed(use: Element, inliner: Inliner): void {
  const address = valueOf(use, 'href') ?? valueOf(use, 'xlink:href') ?? '';
  const drawing = inliner.placeOf(address) === undefined ? inliner.drawingOf(address) : undefined;
  if (drawing === undefined) {
    rewriteAddresses(use, inliner);
    return;
  }
  const [x, y] = [valueOf(use, 'x') ?? '0', valueOf(use, 'y') ?? '0'];
  for (const name of ['href', 'xlink:href']) change(use, name, () => undefined);
  if (drawing.tagName === 'symbol') {
    const own = new Set(['id', ...use.attrs.map((each) => each.name)]);
    use.attrs.push(...drawing.attrs.filter(({ name }) => !own.has(name) && !IS_HANDLER.test(name)));
  } else {
    const moved = `${valueOf(use, 'transform') ?? ''} translate(${x} ${y})`.trim();
    change(use, 'transform', () => undefined);
    use.attrs.push({ name: 'transform', value: moved });
  }
  use.tagName = drawing.tagName === 'symbol' ? 'svg' : 'g';
  use.nodeName = use.tagName;
  for (const child of drawing.tagName === 'symbol' ? [...drawing.childNodes] : [drawing]) {
    tree.detachNode(child);
    tree.appendChild(use, child);
  }
}

/** A canvas shows its picture behind its content, which is empty. */
function drawCanvas(element: Element): void {
  const drawn = valueOf(element, DRAWN);
  if (drawn === undefined) return;
  change(element, DRAWN, () => undefined);
  if (!drawn.startsWith('data:image/png;base64,')) return;
  const style = `background:url("${drawn}") 0 0/100% 100% no-repeat content-box`;
  const own = valueOf(element, 'style');
  change(element, 'style', () => undefined);
  element.attrs.push({ name: 'style', value: own === undefined ? style : `${own};${style}` });
}

function valueOf(element: Element, name: string): string | undefined {
  return element.attrs.find((each) => fullName(each) === name)?.value;
}

function fullName({ name, prefix }: { readonly name: string; readonly prefix?: string | undefined }): string {
  return prefix === undefined || prefix === '' ? name : `${prefix}:${name}`;
}

/** Changes an attribute, or removes it. */
function change(element: Element, name: string, to: (value: string) => string | undefined): void {
  element.attrs = element.attrs.flatMap((each) => {
    if (fullName(each) !== name) return [each];
    const value = to(each.value);
    return value === undefined ? [] : [{ ...each, value }];
  });
}

/** Chrome saves shadow trees in templates with a name of its own. */
function openTemplate(template: Element): void {
  rename(template, 'shadowmode', 'shadowrootmode');
  rename(template, 'shadowdelegatesfocus', 'shadowrootdelegatesfocus');
  if (valueOf(template, 'shadowrootmode') !== undefined && isTemplate(template)) addAtEnd(template.content);
}

export function isTemplate(element: Element): element is DefaultTreeAdapterTypes.Template {
  return element.tagName === 'template';
}

/** Ends animations: they would begin again when the file is opened, and not show what was captured. */
export function addAtEnd(parent: DefaultTreeAdapterTypes.ParentNode): void {
  const style = tree.createElement('style', html.NS.HTML, []);
  tree.insertText(style, ENDED);
  tree.appendChild(parent, style);
}

function rename(element: Element, name: string, to: string): void {
  element.attrs = element.attrs.map((each) => (each.name === name ? { ...each, name: to } : each));
}
