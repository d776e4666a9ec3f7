/** CSS pixels, from the top left corner of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Brings the first match into view and gives back its box; undefined when there is none, or none to see. Runs in the page. */
export function elementBox(selector: string): Box | undefined {
  const element = document.querySelector(selector);
  if (element === null || !element.checkVisibility({ visibilityProperty: true })) return undefined;
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return undefined;
  return { x: x + scrollX, y: y + scrollY, width, height };
}
