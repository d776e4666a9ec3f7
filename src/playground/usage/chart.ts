import type { Day } from './usage-calls.ts';

const [WIDTH, HEIGHT] = [720, 160];
const GAP = 3;
/** Parts of a bar from bottom to top. Each is a CSS class. */
const PARTS = ['captures', 'cached', 'failed'] as const;

/** Draws a bar for each day, with parts for captures, cached answers and failures. Days without usage have no bar. */
export function drawChart(dates: readonly string[], days: readonly Day[]): SVGSVGElement {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const highest = Math.max(1, ...days.map(heightOf));
  const step = WIDTH / Math.max(1, dates.length);
  const bars = dates.flatMap((date, index) => {
    const day = byDate.get(date);
    if (day === undefined) return [];
    let top = HEIGHT;
    const parts = PARTS.map((part) => {
      const height = (day[part] / highest) * HEIGHT;
      top -= height;
      return svg('rect', { class: part, x: index * step, y: top, width: step - GAP, height });
    });
    return [svg('g', {}, svg('title', {}, sentence(day)), ...parts)];
  });
  const total = days.reduce((sum, { captures }) => sum + captures, 0);
  const label = `Captures on each day, ${total} in total. The table has the numbers`;
  const base = svg('path', { class: 'base', d: `M0 ${HEIGHT}H${WIDTH}` });
  return svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT + 1}`, role: 'img', 'aria-label': label },
    ...bars,
    base,
  );
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
