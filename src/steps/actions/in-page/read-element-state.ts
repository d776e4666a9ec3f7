/** Conditions that an action requires of its element. */
export type Need = {
  /** The element exists. It may be empty. */
  readonly place?: boolean;
  /** The element is enabled. */
  readonly use?: boolean;
  /** The element is not read-only. */
  readonly text?: boolean;
  /** The mouse reaches a point of the element, or of its label if the element itself is hidden. */
  readonly point?: boolean;
};

/** State of an element: why the action has to wait, or its position in CSS pixels of the top window. */
export type ElementState =
  | { readonly state: 'ready'; readonly x: number; readonly y: number }
  | { readonly state: 'invisible' | 'disabled' | 'read_only' | 'file' | 'out_of_reach' }
  | { readonly state: 'covered'; readonly by: string };

/**
 * Checks whether an element is ready for an action, and scrolls it into view if the mouse must reach it. Checks each
 * frame and shadow tree for elements on top. Runs in the page.
 */
export function readElementState(element: Element, need: Need): ElementState {
  // Compares the name, because elements of frames are not instances of this window's classes.
  const labelOf = (inner: Element): HTMLLabelElement | null => inner.closest<HTMLLabelElement>('label');
  const isSeen = (seen: Element): boolean => {
    if (!seen.isConnected || !seen.checkVisibility({ visibilityProperty: true })) return false;
    const frame = seen.ownerDocument.defaultView?.frameElement ?? null;
    return frame === null || isSeen(frame);
  };
  const rectsOf = (shown: Element): DOMRect[] =>
    [...shown.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);

  const isControl = (candidate: Element): candidate is HTMLInputElement =>
    'labels' in candidate && candidate.localName === 'input';
  const target = [element, ...((isControl(element) && element.labels) || [])].find(
    (each) => isSeen(each) && (need.place === true || rectsOf(each).length > 0),
  );
  const isFile = (candidate: Element): boolean => candidate.matches('input[type=file]');
  const control = labelOf(element)?.control ?? null;
  if (need.use === true && (isFile(element) || (control !== null && isFile(control)))) return { state: 'file' };
  if (target === undefined) return { state: 'invisible' };
  if (need.use === true && (element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null))
    return { state: 'disabled' };
  if (need.text === true && element.matches('input[readonly], textarea[readonly]')) return { state: 'read_only' };

  /** Returns the topmost element at a point of a window, including open shadow trees. */
  const topAt = (document: Document, x: number, y: number): Element | null => {
    let top = document.elementFromPoint(x, y);
    for (let depth = 0; depth < 50 && top !== null && top.shadowRoot !== null; depth++) {
      const inner = top.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === top) break;
      top = inner;
    }
    return top;
  };
  const isShadow = (node: Node): node is ShadowRoot => 'host' in node && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE;
  const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
  const outward = (node: Node): Node | null =>
    isShadow(node) ? node.host : ((isElement(node) ? node.assignedSlot : null) ?? node.parentNode);
  /** True if a click on the topmost element is a click on the requested one. */
  const isPartOf = (top: Element, expected: Element): boolean => {
    for (let node: Node | null = top; node !== null; node = outward(node)) if (node === expected) return true;
    if (labelOf(top)?.control === expected) return true;
    // An element inside a button may ignore the mouse.
    return top.closest('a, button, label, summary, [role=button], [role=link]')?.contains(expected) ?? false;
  };
  const widthOf = (frame: Element): number => ('offsetWidth' in frame ? Number(frame.offsetWidth) : 0);
  /** @returns the point in the top window, or the covering element; undefined outside the window */
  const reach = (rect: DOMRect, [across, down]: readonly [number, number]): ElementState | undefined => {
    let expected = target;
    let [x, y] = [rect.x + rect.width * across, rect.y + rect.height * down];
    for (;;) {
      const view: Window | null = expected.ownerDocument.defaultView;
      const top = topAt(expected.ownerDocument, x, y);
      if (view === null || top === null) return undefined;
      if (!isPartOf(top, expected)) return { state: 'covered', by: describe(top) };
      const frame = view.frameElement;
      if (frame === null) return { state: 'ready', x, y };
      // The content of a frame starts inside its border and padding, and may be scaled.
      const outer = frame.getBoundingClientRect();
      const style = frame.ownerDocument.defaultView?.getComputedStyle(frame);
      const scale = outer.width / (widthOf(frame) || outer.width || 1);
      x = outer.x + (frame.clientLeft + Number.parseFloat(style?.paddingLeft ?? '0') + x) * scale;
      y = outer.y + (frame.clientTop + Number.parseFloat(style?.paddingTop ?? '0') + y) * scale;
      expected = frame;
    }
  };
  // Contains no text of the page, because it becomes part of an error message.
  const describe = ({ localName, id, classList }: Element): string => {
    const parts = [
      localName,
      ...(id === '' ? [] : [`#${id}`]),
      ...[...classList].slice(0, 2).map((name) => `.${name}`),
    ];
    // An id can be a sentence with line breaks.
    return parts
      .join('')
      .slice(0, 60)
      .replaceAll(/[^\p{L}\p{N}_#.:-]/gu, '_');
  };
  /** Tries the centre of each box, then other points of the largest one. */
  const search = (): ElementState => {
    const rects = rectsOf(target).slice(0, 8);
    const largest = rects.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, 1);
    const corners = [0.25, 0.75].flatMap((down) => [0.25, 0.75].map((across) => [across, down] as const));
    const points = [
      ...rects.map((rect) => [rect, [0.5, 0.5]] as const),
      ...largest.flatMap((rect) => corners.map((corner) => [rect, corner] as const)),
    ];
    let covered: ElementState | undefined;
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
