/**
 * A rule with `leader()`: the selector of an element, and the dots between its text and what follows it, as in a table
 * of contents.
 */
export type Leader = readonly [selector: string, dots: string];

const MOST_LEADERS = 5_000;
/** As many as fit on no sheet. */
const DOTS = 400;

/** Puts a box of dots at the end of each element, as wide as the rest of its line. */
export function drawLeaders(body: Element, leaders: readonly Leader[]): void {
  let left = MOST_LEADERS;
  for (const [selector, dots] of leaders) {
    for (const element of matches(body, selector)) {
      if (left-- === 0) return;
      if (!(element instanceof HTMLElement)) continue;
      const filler = document.createElement('span');
      filler.setAttribute('aria-hidden', 'true');
      filler.textContent = dots.repeat(Math.ceil(DOTS / dots.length));
      filler.setAttribute('data-book-dots', '');
      element.setAttribute('data-book-row', '');
      element.append(filler);
    }
  }
}

function matches(body: Element, selector: string): readonly Element[] {
  try {
    return Array.from(body.querySelectorAll(selector));
  } catch {
    return []; // a selector of another tool
  }
}
