import { byId, make } from '../dom.ts';
import { createTabs } from '../tabs.ts';
import type { SideName } from './side.ts';

/** A region of the answer of `POST /compare`. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly kind: 'changed' | 'added' | 'removed' | 'moved';
  /** The element of the region, and its texts, between two addresses. */
  readonly selector?: string;
  readonly before?: string;
  readonly after?: string;
}

/** The answer of `POST /compare`. */
export interface Comparison {
  readonly changed: boolean;
  readonly ratio: number;
  readonly before: { readonly width: number; readonly height: number };
  readonly after: { readonly width: number; readonly height: number };
  readonly regions: readonly Region[];
}

const VIEWS = ['Marked', 'Side by side', 'Slider', 'Difference'] as const;

/** Shows a comparison. `pictures` are addresses of its two pictures. */
export function showComparison(comparison: Comparison, pictures: Readonly<Record<SideName, string>>): void {
  const { changed, ratio, regions } = comparison;
  const words = changed
    ? `${regions.length} ${regions.length === 1 ? 'region differs' : 'regions differ'}: ${percent(ratio)} of the pixels`
    : 'No difference';
  const stage = make('div', { id: 'views', class: 'views', role: 'tabpanel', 'aria-label': 'Pictures', tabindex: 0 });
  const show = (name: string): void => stage.replaceChildren(viewOf(name, comparison, pictures));
  const tabs = createTabs({ label: 'Views', names: VIEWS, panel: stage.id, onSelect: show });
  show(tabs.selected());
  const title = make('h2', { id: 'outcome' }, words);
  byId('comparison', HTMLElement).replaceChildren(title, tabs.element, stage, listOf(regions));
  byId('announcement', HTMLElement).textContent = words;
}

function percent(ratio: number): string {
  return ratio > 0 && ratio < 0.000_05 ? 'less than 0.01 %' : `${(ratio * 100).toFixed(2)} %`;
}

function viewOf(name: string, comparison: Comparison, pictures: Readonly<Record<SideName, string>>): HTMLElement {
  const [before, after] = [pictureOf('Before', pictures.before), pictureOf('After', pictures.after)];
  if (name === 'Side by side')
    return make(
      'div',
      { class: 'both' },
      marked(make('div', { class: 'shot' }, before), comparison, 'before'),
      marked(make('div', { class: 'shot' }, after), comparison, 'after'),
    );
  if (name === 'Slider') return sliderOf(before, after);
  if (name === 'Difference') return make('div', { class: 'shot stacked differing' }, before, after);
  return marked(make('div', { class: 'shot' }, after), comparison, 'after');
}

function pictureOf(alt: string, src: string): HTMLImageElement {
  return make('img', { src, alt });
}

/** Draws the regions of a side. Their places are parts of the picture, which is scaled. */
function marked(sheet: HTMLElement, { regions, ...sizes }: Comparison, side: SideName): HTMLElement {
  const { width, height } = sizes[side];
  for (const region of regions) {
    if ((region.kind === 'removed') !== (side === 'before')) continue;
    const frame = make('span', { class: `region ${region.kind}`, title: region.kind });
    frame.style.left = `${(region.x / width) * 100}%`;
    frame.style.top = `${(region.y / height) * 100}%`;
    frame.style.width = `${(region.width / width) * 100}%`;
    frame.style.height = `${(region.height / height) * 100}%`;
    sheet.append(frame);
  }
  return sheet;
}

/** The later picture over the earlier one, as far as the slider says. */
function sliderOf(before: HTMLImageElement, after: HTMLImageElement): HTMLElement {
  const range = make('input', {
    type: 'range',
    min: 0,
    max: 100,
    value: 50,
    'aria-label': 'Part of the later picture',
  });
  const cut = (): void => {
    after.style.clipPath = `inset(0 0 0 ${100 - Number(range.value)}%)`;
  };
  range.addEventListener('input', cut);
  cut();
  return make('div', { class: 'slider' }, range, make('div', { class: 'shot stacked' }, before, after));
}

function listOf(regions: readonly Region[]): HTMLElement {
  const rows = regions.map(({ kind, x, y, width, height, selector, before, after }) =>
    make(
      'li',
      {},
      make('span', { class: `kind ${kind}` }, kind),
      ` ${width} × ${height} px at ${x}, ${y}${kind === 'removed' ? ' of the earlier picture' : ''}`,
      ...(selector === undefined ? [] : [' ', make('code', {}, selector)]),
      ...(before !== undefined && after !== undefined && before !== after ? [`: ${before} → ${after}`] : []),
    ),
  );
  return make('ol', { class: 'regions', hidden: rows.length === 0 }, ...rows);
}
