import { bodyOf, computed, documentOf, frameOf, nameOf, outerOf, parentElementOf, read } from './nodes.ts';

type Size = 'scrollHeight' | 'scrollWidth' | 'clientHeight' | 'clientWidth' | 'clientTop' | 'clientLeft';

/** Returns a size of an element in CSS pixels. */
export function sizeOf(element: Element, name: Size): number {
  return read(Element.prototype, element, name);
}

/** What lies around an element. */
interface Surrounding {
  readonly around: Element;
  /** Style of the content that lies in it. */
  readonly position: string;
  /** True if it cuts content of this position that lies outside of it. */
  readonly cuts: boolean;
}

/** Yields what lies around an element, the innermost first: elements, and frames. */
export function* surroundingsOf(element: Element): Generator<Surrounding> {
  let { position } = computed(element);
  for (let inner = element; ;) {
    const outer = outerOf(inner);
    const frame = outer === null ? frameOf(inner) : null;
    const around = outer ?? frame;
    if (around === null) return;
    const style = computed(around);
    const isHeld = frame !== null || holds(style, position);
    yield { around, position, cuts: frame !== null || (isHeld && clips(style) && !isOfWindow(around)) };
    if (isHeld) ({ position } = style);
    inner = around;
  }
}

/**
 * Yields the boxes around an element that cut what lies outside of them, the innermost first: scrollers, boxes with
 * hidden overflow, and frames. The window is none of them.
 */
export function* clippersOf(element: Element): Generator<Element> {
  for (const { around, cuts } of surroundingsOf(element)) if (cuts) yield around;
}

/** True if a user can scroll the content of the element up and down. */
export function isScroller(element: Element): boolean {
  return /auto|scroll|overlay/.test(computed(element).overflowY) && !isOfWindow(element);
}

/** True if the overflow of the element is that of its window. */
export function isOfWindow(element: Element): boolean {
  if (nameOf(element) === 'html') return parentElementOf(element) === null;
  const root = parentElementOf(element);
  return element === bodyOf(documentOf(element)) && root !== null && computed(root).overflow === 'visible';
}

function clips({ overflowX, overflowY, contain }: CSSStyleDeclaration): boolean {
  return overflowX !== 'visible' || overflowY !== 'visible' || /paint|strict|content/.test(contain);
}

/** True if a box with this style is, or contains, the containing block of an element with this position. */
function holds(style: CSSStyleDeclaration, position: string): boolean {
  if (position !== 'absolute' && position !== 'fixed') return true;
  if (position === 'absolute' && style.position !== 'static') return true;
  const { transform, translate, rotate, scale, perspective, filter, backdropFilter, contain, willChange } = style;
  return (
    [transform, translate, rotate, scale, perspective, filter, backdropFilter].some((value) => value !== 'none') ||
    /paint|layout|strict|content/.test(contain) ||
    /transform|translate|rotate|scale|perspective|filter/.test(willChange)
  );
}
