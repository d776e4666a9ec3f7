import { z } from 'zod';

const MAX_LINES = 20;

/** Fields of a comparison: regions of pictures, or lines of texts. */
export const differenceFields = {
  regions: z
    .array(
      z.looseObject({
        kind: z.string(),
        x: z.number(),
        y: z.number(),
        width: z.number(),
        height: z.number(),
        selector: z.string().optional(),
        before: z.string().optional(),
        after: z.string().optional(),
      }),
    )
    .default([]),
  changes: z
    .array(
      z.looseObject({
        kind: z.string(),
        line: z.number(),
        before: z.string().optional(),
        after: z.string().optional(),
      }),
    )
    .default([]),
};
const differences = z.object(differenceFields);

/** Returns a line for each of the first differences. */
export function linesOf({ regions, changes }: z.output<typeof differences>): readonly string[] {
  const lines = regions.slice(0, MAX_LINES).map(({ kind, x, y, width, height, selector, before, after }) => {
    const texts = before !== undefined && after !== undefined && before !== after ? `: ${before} -> ${after}` : '';
    return `${kind} ${x},${y},${width},${height}${selector === undefined ? '' : ` ${selector}`}${texts}`;
  });
  for (const { kind, line, before, after } of changes.slice(0, MAX_LINES))
    lines.push(`${kind} line ${line}: ${[before, after].filter((text) => text !== undefined).join(' -> ')}`);
  const more = Math.max(regions.length, changes.length) - MAX_LINES;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** Returns what `--ignore` leaves out: a box (`X,Y,WIDTH,HEIGHT`), or all matches of a CSS selector. */
export function toIgnored(text: string): object {
  const [, x, y, width, height] = /^(\d+),(\d+),(\d+),(\d+)$/.exec(text) ?? [];
  if (x === undefined) return { selector: text };
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
}
