import type { RootsOf } from '../../in-page/roots-of.ts';
import type { findRejectButton, KindOf } from './find-reject-button.ts';

/** Rules for texts of a banner. */
export interface Words {
  /** True if the text may belong to a cookie banner. Fast, because it runs for every overlay text. */
  readonly mentions: (text: string) => boolean;
  /** True if the text reads like a cookie banner. */
  readonly isAbout: (text: string) => boolean;
  /** True if the text states that the site uses cookies. Then any button counts. */
  readonly statesCookieUse: (text: string) => boolean;
  readonly kindOf: KindOf;
}

/** A cookie banner without a rule. */
export interface CookiePopup {
  /** The whole banner, including a backdrop that contains nothing else. */
  readonly element: HTMLElement;
  /** The part with the text and the button. */
  readonly core: HTMLElement;
  /** The reject button. Undefined if there is none. */
  readonly reject: HTMLElement | undefined;
}

export interface Overlays {
  /** All overlays of the document. */
  readonly layers: Iterable<HTMLElement>;
  readonly popups: readonly CookiePopup[];
  /** Cross-origin overlay frames, with the element they lie on. Their content is checked in their own session. */
  readonly frames: readonly { readonly frame: HTMLIFrameElement; readonly element: HTMLElement }[];
}

interface PopupTools {
  readonly rootsOf: RootsOf;
  readonly findRejectButton: typeof findRejectButton;
}

/**
 * Finds cookie banners among the overlays of the page (fixed, sticky, dialogs, layers), including open shadow trees.
 * Hit-tests some points of the window, so the cost does not depend on the size of the page. Content in the normal flow
 * is never checked, because it may be an article about cookies. Runs in the page.
 */
export function cookiePopups(words: Words, { rootsOf, findRejectButton }: PopupTools, isFramed: boolean): Overlays {
  const [COLUMNS, ROWS, EDGE] = [12, 10, 8];
  // Upper bounds, because a page may have thousands of overlays.
  const [MAX_KNOWN, MAX_INSIDE, MAX_LAYERS, MAX_TEXT] = [4_000, 5_000, 20, 4_000];
  const MEDIA = 'img, picture, video, canvas, iframe, object, embed, textarea, main, article, nav';

  const parentOf = (element: Element): HTMLElement | null => {
    const root = element.getRootNode();
    const parent = element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    return parent instanceof HTMLElement ? parent : null;
  };
  const insideOf = (element: HTMLElement): (HTMLElement | Document | ShadowRoot)[] => {
    const hosts = [element, ...element.querySelectorAll('*')].slice(0, MAX_INSIDE);
    const trees = hosts.flatMap((host) => {
      const frame = host instanceof HTMLIFrameElement ? host.contentDocument : null;
      const root = frame ?? host.shadowRoot;
      return root === null ? [] : [...rootsOf(root)];
    });
    return [element, ...trees];
  };
  const textOf = (element: HTMLElement): string => {
    const texts = insideOf(element).map((tree) => {
      if (tree instanceof HTMLElement) return tree.innerText;
      const children = 'body' in tree ? [tree.body] : [...tree.children];
      return children.map((child) => (child instanceof HTMLElement ? child.innerText : '')).join('\n');
    });
    return texts.join('\n').trim().slice(0, MAX_TEXT);
  };
  const isSeen = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const isLayer = (element: HTMLElement): boolean => {
    if (element === document.body || element === document.documentElement) return false;
    const { position, zIndex } = getComputedStyle(element);
    if (position === 'fixed' || position === 'sticky') return true;
    if (position === 'absolute' && Number(zIndex) >= 10) return true;
    return element.matches('dialog[open], [role="dialog"], [role="alertdialog"], [aria-modal="true"], :popover-open');
  };
  /** Returns the outermost ancestor that contains nothing else. */
  const allOf = (core: HTMLElement): HTMLElement => {
    const length = textOf(core).length;
    let all = core;
    for (let up = parentOf(core); up !== null; up = parentOf(up)) {
      if (up === document.body || up === document.documentElement) break;
      const hasMore = textOf(up).length > length + 5;
      const media = [...up.querySelectorAll(MEDIA)].filter((each) => !all.contains(each) && isSeen(each));
      if (hasMore || media.length > 0) break;
      all = up;
    }
    return all;
  };

  const layers = new Set<HTMLElement>();
  const frames = new Set<HTMLIFrameElement>();
  const known = new Set<Element>();
  const lookAt = (root: Document | ShadowRoot, x: number, y: number): void => {
    if (known.size > MAX_KNOWN) return;
    for (const hit of root.elementsFromPoint(x, y)) {
      if (known.size > MAX_KNOWN) return;
      if (hit.getRootNode() !== root) continue;
      if (hit.shadowRoot !== null) lookAt(hit.shadowRoot, x, y);
      if (known.has(hit)) continue;
      let isInLayer = false;
      let up = hit instanceof HTMLElement ? hit : hit.parentElement;
      for (; up !== null; up = parentOf(up)) {
        if (layers.has(up)) isInLayer = true;
        if (known.has(up)) continue;
        known.add(up);
        if (!isLayer(up)) continue;
        layers.add(up);
        isInLayer = true;
      }
      if (isInLayer && hit instanceof HTMLIFrameElement && hit.contentDocument === null) frames.add(hit);
    }
  };
  if (isFramed && document.body !== null) layers.add(document.body);
  else {
    // A bar with one line of text lies at an edge, between two rows of points.
    const inner = Array.from({ length: ROWS }, (_, row) => ((row + 0.5) * innerHeight) / ROWS);
    for (const y of [...inner, EDGE, innerHeight - EDGE])
      for (let column = 0; column < COLUMNS; column++) lookAt(document, ((column + 0.5) * innerWidth) / COLUMNS, y);
  }

  const popups = new Map<HTMLElement, CookiePopup>();
  for (const layer of [...layers].slice(0, MAX_LAYERS)) {
    const text = textOf(layer);
    if (!words.mentions(text)) continue;
    const statesCookieUse = words.statesCookieUse(text);
    const { first, reject } = findRejectButton(insideOf(layer), { kindOf: words.kindOf, statesCookieUse }, isSeen);
    if (first === undefined) continue;
    // Finds the smallest element with both the text and a button.
    let core: HTMLElement | null = first;
    while (core !== null && core !== layer && !words.isAbout(textOf(core))) core = parentOf(core);
    if (core === null || !words.isAbout(textOf(core))) continue;
    const element = isFramed ? layer : allOf(core);
    // A layer over the whole window with more than a banner on it is the page itself.
    const { width, height } = layer.getBoundingClientRect();
    const coversWindow = width >= innerWidth * 0.9 && height >= innerHeight * 0.9;
    if (coversWindow && !isFramed && !isWithin(layer, element) && !hasLayerBetween(core, layer)) continue;
    popups.set(element, { element, core, reject: reject((button) => isWithin(button, element)) });
  }
  const seen = [...frames].filter(isSeen).map((frame) => ({ frame, element: allOf(frame) }));
  return { layers, popups: [...popups.values()], frames: seen };

  /** True if there is another layer between two elements. */
  function hasLayerBetween(core: HTMLElement, outer: HTMLElement): boolean {
    for (let up: HTMLElement | null = core; up !== null && up !== outer; up = parentOf(up))
      if (layers.has(up)) return true;
    return false;
  }
  function isWithin(inner: HTMLElement, outer: HTMLElement): boolean {
    for (let up: HTMLElement | null = inner; up !== null; up = parentOf(up)) if (up === outer) return true;
    return false;
  }
}
