import { make } from '../dom.ts';
import { layOutSheet, type SheetLayout } from './sheet-layout.ts';
import type { Values } from './values.ts';

/** Longest side of the drawing in its own units. */
const SIDE = 150;
/** Distance of text lines in inches at scale 1. */
const LINE = 0.32;
const MAX_LINES = 60;

interface SheetDrawing {
  readonly element: HTMLElement;
  readonly draw: (values: Values) => void;
}

/** Draws the sheet with its margins and sample text. */
export function createSheetDrawing(): SheetDrawing {
  const picture = make('div', { 'aria-hidden': true });
  const caption = make('p', { class: 'hint' });
  return {
    element: make('div', { class: 'sheet' }, picture, caption),
    draw: (values) => {
      const layout = layOutSheet(values);
      picture.replaceChildren(...(layout === undefined ? [] : [draw(layout)]));
      caption.textContent = layout === undefined ? 'These values give no valid sheet.' : describe(layout);
    },
  };
}

function draw({ width, height, margin, hasHeader, hasFooter, isEndless, scale }: SheetLayout): SVGElement {
  const unit = SIDE / Math.max(width, height);
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  const box = (className: string, [x, y, w, h]: readonly [number, number, number, number]): SVGElement =>
    shape('rect', { class: className, x: x * unit, y: y * unit, width: w * unit, height: h * unit });
  const line = (className: string, y: number, [from, to]: readonly [number, number]): SVGElement =>
    shape('line', { class: className, x1: from * unit, x2: to * unit, y1: y * unit, y2: y * unit });

  const lines: SVGElement[] = [];
  for (let y = margin.top + LINE * scale; y < bottom && lines.length < MAX_LINES; y += LINE * scale) {
    const isLast = lines.length % 5 === 4; // the last line of a paragraph
    lines.push(line('sheet-text', y, [margin.left, isLast ? (margin.left + right) / 2 : right]));
  }
  const svg = shape('svg', {
    viewBox: `-1 -1 ${width * unit + 2} ${height * unit + 2}`,
    width: width * unit + 2,
    height: height * unit + 2,
  });
  svg.append(
    box('sheet-paper', [0, 0, width, height]),
    box('sheet-content', [margin.left, margin.top, right - margin.left, bottom - margin.top]),
    ...lines,
    ...(hasHeader ? [line('sheet-template', margin.top / 2, [margin.left, right])] : []),
    ...(hasFooter ? [line('sheet-template', (height + bottom) / 2, [margin.left, right])] : []),
    ...(isEndless ? [line('sheet-endless', height, [0, width])] : []),
  );
  return svg;
}

function describe({ width, height, margin, isEndless, isNamed }: SheetLayout): string {
  const paper = `${toMm(width)} × ${isEndless ? 'as tall as the page' : toMm(height)} mm`;
  const sides = [margin.top, margin.right, margin.bottom, margin.left].map(toMm);
  const margins = new Set(sides).size === 1 ? sides[0] : sides.join(', ');
  const own = isNamed ? '' : ' The paper size of the page applies unless you set one here.';
  return `${paper}, margins ${margins} mm.${own}`;
}

function toMm(inches: number): string {
  return `${Math.round(inches * 25.4)}`;
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, `${value}`);
  return element;
}
