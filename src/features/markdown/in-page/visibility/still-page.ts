import { all, first, isDocument, viewOf } from '../../../../core/steps/in-page/nodes.ts';
import { rootsOf } from '../../../../core/steps/in-page/roots-of.ts';

/** Hides our scrolling from the scripts of the page, which would add content or move it. */
export function muteScrolling(): () => void {
  const views = [...rootsOf()].flatMap((root) => (isDocument(root) ? (viewOf(root) ?? []) : []));
  const names = ['scroll', 'scrollend'];
  for (const view of views) for (const name of names) view.addEventListener(name, stopEvent, true);
  return () => {
    for (const view of views) for (const name of names) view.removeEventListener(name, stopEvent, true);
  };
}

function stopEvent(event: Event): void {
  event.stopImmediatePropagation();
}

/** True if something may change between two pictures that `freeze` does not stop. */
export function isMoving(): boolean {
  return [...rootsOf()].some((root) => first(root, 'video, img[src*=".gif" i], img[src^="data:image/gif" i]') !== null);
}

function animationsOf(root: Document | ShadowRoot): Animation[] {
  return (isDocument(root) ? Document : ShadowRoot).prototype.getAnimations.call(root);
}

/** Stops the animations of styles and drawings, which would change pixels between two pictures. */
export function freeze(): () => void {
  const frozen: Animation[] = [];
  const drawings: SVGSVGElement[] = [];
  for (const root of rootsOf()) {
    frozen.push(...animationsOf(root).filter(({ playState }) => playState === 'running'));
    drawings.push(...all<SVGSVGElement>(root, 'svg:has(animate, animateTransform, animateMotion, set)'));
  }
  for (const animation of frozen) animation.pause();
  for (const drawing of drawings) drawing.pauseAnimations();
  return () => {
    for (const animation of frozen) animation.play();
    for (const drawing of drawings) drawing.unpauseAnimations();
  };
}
