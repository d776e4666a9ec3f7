import { loadSharp } from '../../../core/ground/load-sharp.ts';
import { createPdfReader, type PdfReader } from '../../../features/pdf-reader/pdf-reader.ts';
import type { Box, Finding } from '../../../parts/rehearsal/finding.ts';
import type { Outcome, Rehearsal } from './run-rehearsal.ts';

/** Pictures of the report: each has about 100 kB. */
const MOST_PICTURED = 60;
const MOST_PAGES = 3;
const PICTURE_WIDTH = 800;
const MOST_HEIGHT = 8_000;

/** What a rehearsal has found. */
export interface Report {
  readonly before: Side;
  readonly after: Side;
  readonly started_at: string;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly captures: readonly Omit<Rehearsal, 'files'>[];
  /** Why there was no rehearsal. */
  readonly error?: string;
}

interface Side {
  readonly browser: string;
  /** Milliseconds of all captures that both browsers have made. */
  readonly milliseconds?: number;
  /** The most memory that its processes have held. */
  readonly peak_bytes?: number;
}

/** Returns the report as one HTML file, with the pictures of what has moved. */
export async function htmlOf(report: Report, rehearsals: readonly Rehearsal[]): Promise<string> {
  const reader = createPdfReader();
  try {
    const sections: string[] = [];
    for (const rehearsal of rehearsals.filter(({ outcome }) => outcome !== 'same')) {
      const pictures = sections.length < MOST_PICTURED ? await picturesOf(rehearsal, reader) : '';
      sections.push(sectionOf(rehearsal, pictures));
    }
    return documentOf(report, sections);
  } finally {
    await reader.close();
  }
}

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; max-width: 1680px; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem } table { border-collapse: collapse }
td, th { padding: .2rem 1rem .2rem 0; text-align: left } .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
figure { margin: 0 } figcaption { color: #555 } .picture { position: relative; border: 1px solid #bbb }
.picture img { display: block; width: 100% } .box { position: absolute; outline: 2px solid #c2185b; background: #c2185b22 }
.outcome { color: #fff; background: #555; border-radius: 3px; padding: 0 .4rem } .moved { background: #b3261e }`;

function documentOf(
  { before, after, counts, started_at: startedAt, error }: Report,
  sections: readonly string[],
): string {
  const row = (name: string, { browser, milliseconds, peak_bytes: peak }: Side): string =>
    `<tr><th>${name}<td>${escaped(browser)}<td>${milliseconds ?? '–'} ms<td>${peak === undefined ? '–' : Math.round(peak / 1_048_576)} MB</tr>`;
  const totals = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Rehearsal of ${escaped(after.browser)}</title>
<style>${STYLE}</style>
<h1>Rehearsal of ${escaped(after.browser)}</h1>
<p>${escaped(startedAt)}: ${totals.join(', ')}.</p>
${error === undefined ? '' : `<p><strong>${escaped(error)}</strong></p>`}
<table><tr><th>Browser<th>Version<th>Time<th>Memory</tr>${row('Before', before)}${row('After', after)}</table>
${sections.join('\n')}
</html>
`;
}

function sectionOf({ name, outcome, findings, before, after }: Rehearsal, pictures: string): string {
  const items = findings.map(({ message }) => `<li>${escaped(message)}</li>`);
  const errors = [before.error, after.error].filter((error) => error !== undefined);
  const lines = items.length > 0 ? items : errors.map((error) => `<li>${escaped(error)}</li>`);
  return `<h2><span class="outcome ${outcome}">${outcome}</span> ${escaped(name)}</h2><ul>${lines.join('')}</ul>${pictures}`;
}

/** Draws the pages or pictures that differ, side by side, with the place of each finding. */
async function picturesOf({ format, findings, files }: Rehearsal, reader: PdfReader): Promise<string> {
  if (files === undefined) return '';
  if (format === 'pdf') {
    const pages = [...new Set(findings.map(({ page }) => page ?? 1))].slice(0, MOST_PAGES);
    const drawn: string[] = [];
    for (const page of pages) {
      const draw = (body: Uint8Array): Promise<Shown | undefined> =>
        drawShown(reader, body, page).catch(() => undefined);
      const [before, after] = [await draw(files.before), await draw(files.after)];
      const found = findings.filter((finding) => (finding.page ?? 1) === page);
      drawn.push(sidesOf(`page ${page}`, { before, after }, found));
    }
    return drawn.join('');
  }
  const [before, after] = await Promise.all([files.before, files.after].map(shrink));
  return before === undefined && after === undefined ? '' : sidesOf('picture', { before, after }, findings);
}

/** Undefined if the document has no such page. */
async function drawShown(reader: PdfReader, body: Uint8Array, page: number): Promise<Shown | undefined> {
  const drawn = await reader.draw(body, { page, width: PICTURE_WIDTH, maxPixels: PICTURE_WIDTH * MOST_HEIGHT });
  const [size] = (await reader.read(body, { firstPage: page, maxPages: 1 })).pages;
  if (drawn === undefined || size === undefined) return undefined;
  const sharp = await loadSharp();
  const raw = { width: drawn.width, height: drawn.height, channels: 4 } as const;
  return { webp: await sharp(drawn.pixels, { raw }).webp({ quality: 80 }).toBuffer(), ...size };
}

interface Shown {
  readonly webp: Buffer;
  /** Size in the units of the findings: points of a page, or pixels of a picture. */
  readonly width: number;
  readonly height: number;
}

/** Undefined for a file that is no picture. */
async function shrink(file: Uint8Array): Promise<Shown | undefined> {
  const sharp = await loadSharp();
  try {
    const { width, height } = await sharp(file).metadata();
    const smaller = sharp(file).resize({
      width: PICTURE_WIDTH,
      height: MOST_HEIGHT,
      fit: 'inside',
      withoutEnlargement: true,
    });
    return { webp: await smaller.webp({ quality: 80 }).toBuffer(), width, height };
  } catch {
    return undefined;
  }
}

function sidesOf(
  name: string,
  { before, after }: { readonly before: Shown | undefined; readonly after: Shown | undefined },
  findings: readonly Finding[],
): string {
  const side = (label: string, shown: Shown | undefined): string => {
    if (shown === undefined) return `<figure><figcaption>${label}, ${name}: there is none</figcaption></figure>`;
    const boxes = findings.flatMap(({ box }) => (box === undefined ? [] : [boxOf(box, shown)]));
    const source = `data:image/webp;base64,${shown.webp.toString('base64')}`;
    return `<figure><figcaption>${label}, ${name}</figcaption><div class="picture"><img alt="" src="${source}">${boxes.join('')}</div></figure>`;
  };
  return `<div class="sides">${side('Before', before)}${side('After', after)}</div>`;
}

function boxOf({ x, y, width, height }: Box, shown: Shown): string {
  const edges = [
    `left:${percent(x, shown.width)}`,
    `top:${percent(y, shown.height)}`,
    `width:${percent(width, shown.width)}`,
    `height:${percent(height, shown.height)}`,
  ];
  return `<i class="box" style="${edges.join(';')}"></i>`;
}

function percent(value: number, of: number): string {
  return `${((100 * value) / of).toFixed(2)}%`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
