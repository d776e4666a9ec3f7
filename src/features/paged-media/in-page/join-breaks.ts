const MARK = 'data-in-row';
const MOST_ELEMENTS = 100_000;

/** Marks the items of flex and grid boxes, while their styles are known. */
export function markItems(body: Element): void {
  let left = MOST_ELEMENTS;
  for (const element of Array.from(body.querySelectorAll('*'))) {
    if (left-- === 0) return;
    if (!/flex|grid/.test(getComputedStyle(element).display)) continue;
    for (const item of Array.from(element.children)) item.setAttribute(MARK, '');
  }
}

/**
 * Takes page names and breaks from marked items: there is no place for a break between the items of a row. That before
 * the first item is one before the box.
 */
export function joinItems(content: ParentNode): void {
  for (const item of Array.from(content.querySelectorAll(`[${MARK}]`))) {
    if (!(item instanceof HTMLElement)) continue;
    const { breakBefore } = item.dataset;
    const box = item.parentElement;
    if (breakBefore !== undefined && box !== null && item.previousElementSibling === null)
      box.dataset['breakBefore'] ??= breakBefore;
    for (const name of ['page', 'beforePage', 'afterPage', 'breakBefore', 'breakAfter', 'previousBreakAfter'])
      delete item.dataset[name];
    item.removeAttribute(MARK);
  }
}

/** Sides come before plain breaks: a right-hand start is a new page, too. */
const SIDES = /^(?:left|right|recto|verso)$/;

/**
 * Joins breaks at one place: those before an element and before its first child, and those after the element before it.
 * The library would make a page for each.
 */
export function joinBreaks(content: ParentNode): void {
  for (const element of Array.from(content.querySelectorAll('[data-break-before]'))) {
    if (!(element instanceof HTMLElement)) continue;
    const { breakBefore: own = '' } = element.dataset;
    if (own === 'avoid') continue;
    for (let place = element; ;) {
      const { breakBefore, previousBreakAfter } = place.dataset;
      const hasOther = place !== element && breakBefore !== undefined && breakBefore !== 'avoid';
      const isAfter = previousBreakAfter !== undefined && previousBreakAfter !== 'avoid';
      if (hasOther || isAfter) {
        if (hasOther && SIDES.test(own)) place.dataset['breakBefore'] = own;
        if (!(isAfter && !hasOther && SIDES.test(own) && !SIDES.test(previousBreakAfter)))
          delete element.dataset['breakBefore'];
        break;
      }
      if (!SIDES.test(own) && isOnOtherPage(place)) {
        delete element.dataset['breakBefore'];
        break;
      }
      const { parentElement: parent } = place;
      if (!(parent instanceof HTMLElement) || !beginsWith(parent, place)) break;
      place = parent;
    }
  }
}

/** True if its kind of page differs from that of the element before, which makes a break by itself. */
function isOnOtherPage({ dataset, previousElementSibling: before }: HTMLElement): boolean {
  return before instanceof HTMLElement && before.dataset['page'] !== dataset['page'];
}

function beginsWith(parent: Element, child: Element): boolean {
  for (const node of Array.from(parent.childNodes)) {
    if (node === child) return true;
    if (node instanceof Element || (node instanceof Text && node.data.trim() !== '')) return false;
  }
  return false;
}
