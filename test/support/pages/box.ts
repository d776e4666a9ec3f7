import { toCss, type Colour } from '../colour.ts';

/** A rectangle in CSS pixels from the top left of the document, and its colour. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: Colour;
}

/** Returns the box as an absolutely positioned element; `attributes` may set its id. */
export function boxMarkup(box: Box, attributes = ''): string {
  return `<div ${attributes} style="${boxStyle(box)}"></div>`;
}

/** Returns the CSS declarations for position and colour of a box. */
function boxStyle({ x, y, width, height, colour }: Box): string {
  return `position:absolute;left:${x}px;top:${y}px;width:${width}px;height:${height}px;background:${toCss(colour)}`;
}
