/** What an action needs of its element. */
export type Need = {
  /** To be there: it may be empty. */
  readonly place?: boolean;
  /** To be enabled. */
  readonly use?: boolean;
  /** To take text: to be no field that can only be read. */
  readonly text?: boolean;
  /** A point of it, or of its label where it can not be seen itself, that the mouse reaches. */
  readonly point?: boolean;
};

/** How an element stands: what keeps an action from it, or where it is, in CSS pixels of the top window. */
export type Look =
  | { readonly state: 'ready'; readonly x: number; readonly y: number }
  | { readonly state: 'invisible' | 'disabled' | 'read_only' | 'file' | 'out_of_reach' }
  | { readonly state: 'covered'; readonly by: string };

/**
 * Looks whether an element is ready for an action, and brings it into view where the mouse has to reach it. In frames and shadow trees
 * what lies on top is asked of each of them. Runs in the page.
 */
export function lookAtElement(element: Element, need: Need): Look {
  // By names: what is in a frame is no instance of this window's classes.
  const labelOf = (inner: Element): HTMLLabelElement | null => inner.closest<HTMLLabelElement>('label');
  const isSeen = (seen: Element): boolean => {
    if (!seen.isConnected || !seen.checkVisibility({ visibilityProperty: true })) return false;
    const frame = seen.ownerDocument.defaultView?.frameElement ?? null;
    return frame === null || isSeen(frame);
  };
  const rectsOf = (shown: Element): DOMRect[] =>
    [...shown.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);

  const isControl = (any: Element): any is HTMLInputElement => 'labels' in any && any.localName === 'input';
  const target = [element, ...((isControl(element) && element.labels) || [])].find(
    (each) => isSeen(each) && (need.place === true || rectsOf(each).length > 0),
  );
  const isFile = (any: Element): boolean => any.matches('input[type=file]');
  const control = labelOf(element)?.control ?? null;
  if (need.use === true && (isFile(element) || (control !== null && isFile(control))))
    return { state: 'file' };
  if (target === undefined) return { state: 'invisible' };
  if (need.use === true && (element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null))
    return { state: 'disabled' };
  if (need.text === true && element.matches('input[readonly], textarea[readonly]'))
    return { state: 'read_only' };

  /** What is on top at a point of a window, down to the innermost open tree. */
  const topAt = (document: Document, x: number, y: number): Element | null => {
    let top = document.elementFromPoint(x, y);
    for (let depth = 0; depth < 50 && top !== null && top.shadowRoot !== null; depth++) {
      const inner = top.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === top) break;
      top = inner;
    }
    return top;
  };
  const isShadow = (node: Node): node is ShadowRoot =>
    'host' in node && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE;
  const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
  const outward = (node: Node): Node | null =>
    isShadow(node) ? node.host : ((isElement(node) ? node.assignedSlot : null) ?? node.parentNode);
  /** Whether a click on what is on top is a click on the wanted one. */
  const isPartOf = (top: Element, wanted: Element): boolean => {
    for (let node: Node | null = top; node !== null; node = outward(node)) if (node === wanted) return true;
    if (labelOf(top)?.control === wanted) return true;
    // The mouse may pass through what is inside of a button.
    return top.closest('a, button, label, summary, [role=button], [role=link]')?.contains(wanted) ?? false;
  };
  const widthOf = (frame: Element): number => ('offsetWidth' in frame ? Number(frame.offsetWidth) : 0);
  /** @returns the point in the top window, or what covers it; undefined outside of a window. */
  const reach = (rect: DOMRect, [across, down]: readonly [number, number]): Look | undefined => {
    let wanted = target;
    let [x, y] = [rect.x + rect.width * across, rect.y + rect.height * down];
    for (;;) {
      const view: Window | null = wanted.ownerDocument.defaultView;
      const top = topAt(wanted.ownerDocument, x, y);
      if (view === null || top === null) return undefined;
      if (!isPartOf(top, wanted)) return { state: 'covered', by: describe(top) };
      const frame = view.frameElement;
      if (frame === null) return { state: 'ready', x, y };
      // A frame's content starts inside its border and padding, and may be drawn at another scale.
      const outer = frame.getBoundingClientRect();
      const style = frame.ownerDocument.defaultView?.getComputedStyle(frame);
      const scale = outer.width / (widthOf(frame) || outer.width || 1);
      x = outer.x + (frame.clientLeft + Number.parseFloat(style?.paddingLeft ?? '0') + x) * scale;
      y = outer.y + (frame.clientTop + Number.parseFloat(style?.paddingTop ?? '0') + y) * scale;
      wanted = frame;
    }
  };
  // No text of the page: this goes into an error, and where errors go.
  const describe = ({ localName, id, classList }: Element): string => {
    const parts = [
      localName,
      ...(id === '' ? [] : [`#${id}`]),
      ...[...classList].slice(0, 2).map((name) => `.${name}`),
    ];
    // An id may be a sentence with line breaks.
    return parts
      .join('')
      .slice(0, 60)
      .replaceAll(/[^\p{L}\p{N}_#.:-]/gu, '_');
  };
  /** The middle of each piece of it, then other points of the largest. */
  const search = (): Look => {
    const rects = rectsOf(target).slice(0, 8);
    const largest = rects.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, 1);
    const corners = [0.25, 0.75].flatMap((down) => [0.25, 0.75].map((across) => [across, down] as const));
    const points = [
      ...rects.map((rect) => [rect, [0.5, 0.5]] as const),
      ...largest.flatMap((rect) => corners.map((corner) => [rect, corner] as const)),
    ];
    let covered: Look | undefined;
    for (const [rect, point] of points) {
      const found = reach(rect, point);
      if (found?.state === 'ready') return found;
      covered ??= found;
    }
    return covered ?? { state: 'out_of_reach' };
  };

  if (need.point !== true) {
    const { x, y, width, height } = target.getBoundingClientRect();
    return { state: 'ready', x: x + width / 2, y: y + height / 2 };
  }
  const found = search();
  if (found.state === 'ready') return found;
  target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  return search();
}
