import type { Day } from './usage-calls.ts';

const [WIDTH, HEIGHT] = [720, 160];
/** Room for the numbers on the left, and for the dates below. The last date is centred on its day. */
const [LEFT, BELOW, ABOVE, RIGHT] = [56, 28, 14, 12];
/** Days between two dates of the axis. */
const DATE_EVERY = 7;
const GAP = 3;
/** Parts of a bar from bottom to top. Each is a CSS class. */
const PARTS = ['captures', 'cached', 'failed'] as const;

/** Draws a bar for each day, with parts for captures, cached answers and failures. Days without usage have no bar. */
export function drawChart(dates: readonly string[], days: readonly Day[]): SVGSVGElement {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const highest = roundUp(Math.max(1, ...days.map(heightOf)));
  const step = WIDTH / Math.max(1, dates.length);
  const leftOf = (index: number): number => LEFT + index * step;
  const bars = dates.flatMap((date, index) => {
    const day = byDate.get(date);
    if (day === undefined) return [];
    let top = HEIGHT;
    const parts = PARTS.map((part) => {
      const height = (day[part] / highest) * HEIGHT;
      top -= height;
      return svg('rect', { class: part, x: leftOf(index), y: top, width: step - GAP, height });
    });
    return [svg('g', {}, svg('title', {}, sentence(day)), ...parts)];
  });
  const total = days.reduce((sum, { captures }) => sum + captures, 0);
  const label = `Captures on each day, ${total} in total. The table has the numbers`;
  const lines = [0, 0.5, 1].map((part) => {
    const y = HEIGHT - part * HEIGHT;
    const words = svg('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, (highest * part).toLocaleString('en'));
    return svg('g', {}, svg('path', { class: 'base', d: `M${LEFT} ${y}h${WIDTH}` }), words);
  });
  const names = dates.flatMap((date, index) =>
    index % DATE_EVERY === 0
      ? [svg('text', { x: leftOf(index) + step / 2, y: HEIGHT + 20, 'text-anchor': 'middle' }, date.slice(5))]
      : [],
  );
  return svg(
    'svg',
    {
      class: 'chart',
      viewBox: `0 ${-ABOVE} ${LEFT + WIDTH + RIGHT} ${ABOVE + HEIGHT + BELOW}`,
      role: 'img',
      'aria-label': label,
    },
    ...lines,
    ...bars,
    ...names,
  );
}

/** Rounds up to two digits, even, so that the half is a whole number. */
function roundUp(value: number): number {
  const unit = Math.max(2, 2 * 10 ** (`${value}`.length - 2));
  return Math.ceil(value / unit) * unit;
}

function heightOf(day: Day): number {
  return PARTS.reduce((sum, part) => sum + day[part], 0);
}

function sentence({ date, captures, cached, failed }: Day): string {
  return `${date}: ${captures} captures, ${cached} cached, ${failed} failed`;
}

function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...children);
  return element;
}
