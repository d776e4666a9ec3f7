import { viewOf } from '../../../core/steps/in-page/nodes.ts';
import { everywhere, rootsOf } from '../../../core/steps/in-page/roots-of.ts';

const MOVES = ['over', 'enter', 'move', 'out', 'leave'].flatMap((name) => [`mouse${name}`, `pointer${name}`]);

/** Keeps later moves of the mouse from the scripts of the page. Runs in the page. */
export function ignoreMoves(): void {
  for (const view of new Set(rootsOf().map(viewOf)))
    for (const type of MOVES)
      view?.addEventListener(type, (event) => event.stopImmediatePropagation(), { capture: true });
}

/** Returns an element below the mouse: the outermost first. Null past the last one. Runs in the page. */
export function hoveredAt(index: number): Element | null {
  return everywhere(':hover').drop(index).next().value ?? null;
}
