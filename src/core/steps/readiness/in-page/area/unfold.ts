import { isScroller, sizeOf } from '../../../in-page/clippers.ts';
import { setForPicture, styleForPicture } from '../../../in-page/for-picture.ts';
import { attribute, boxOf, computed, isRendered } from '../../../in-page/nodes.ts';
import { documentInside, everywhere } from '../../../in-page/roots-of.ts';
import { openScroller } from './open-scroller.ts';
import { hiddenBy } from './shells.ts';
import { isVirtual } from './virtual.ts';

const MOST_OPENED = 200;

/**
 * Opens what a person would have to click or scroll: closed `<details>`, content that is hidden until found, fields of
 * several lines, scrolled boxes and same-origin frames. True if a list contains only the items that are scrolled to.
 * Runs in the page.
 */
export function unfold(isPrinted: boolean): boolean {
  for (const details of everywhere('details:not([open])')) {
    if (attribute(details, 'name') !== null) setForPicture(details, 'name', ''); // only one of a group can be open
    setForPicture(details, 'open', '');
  }
  for (const hidden of everywhere('[hidden="until-found" i]'))
    styleForPicture(hidden, { 'content-visibility': 'visible' });
  for (const field of everywhere('textarea')) openField(field);

  const folded = [...everywhere('*')].filter(isFolded).toReversed(); // the innermost first
  let isCut = folded.length > MOST_OPENED;
  for (const each of folded.slice(0, MOST_OPENED)) {
    if (isVirtual(each)) isCut = true;
    else openScroller(each, { inFlow: false, isPrinted });
  }
  if (isPrinted) for (const code of everywhere('pre')) wrapCode(code);
  return isCut;
}

/** Breaks the lines of code that a person would scroll sideways. Paper is no wider. */
function wrapCode(code: Element): void {
  if (sizeOf(code, 'scrollWidth') > sizeOf(code, 'clientWidth') + 1 && !/wrap|line/.test(computed(code).whiteSpace))
    styleForPicture(code, { 'white-space': 'pre-wrap', 'overflow-wrap': 'anywhere' });
}

function openField(field: Element): void {
  const { width, height } = boxOf(field);
  if (height === 0 || sizeOf(field, 'scrollHeight') <= sizeOf(field, 'clientHeight')) return;
  const size = { 'box-sizing': 'border-box', width: `${width}px`, 'min-height': `${height}px` };
  styleForPicture(field, { ...size, height: 'auto', 'max-height': 'none', 'field-sizing': 'content' });
}

/** True for a box or frame that a person would scroll up and down. */
function isFolded(element: Element): boolean {
  if (!isScroller(element) && documentInside(element) === null) return false;
  return isRendered(element) && boxOf(element).height > 0 && hiddenBy(element) > 1;
}
