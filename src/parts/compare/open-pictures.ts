import { elementsSchema, MOST_ELEMENTS } from '../../features/data/elements.ts';
import { loadSharp } from '../../core/ground/load-sharp.ts';
import { parseJson } from '../../core/ground/parse-json.ts';
import type { CompareAnswer, CompareCall, ComparedSide, Size } from './compare-call.ts';
import { boxOnPicture, type PlacedElements } from './name-regions.ts';
import type { Bitmap, Box } from './pictures/bitmap.ts';

const SIDES = ['before', 'after'] as const;
type SideName = (typeof SIDES)[number];

/** Pixels of both pictures together: they take 400 MB. */
const MOST_PIXELS = 100_000_000;
/** Bytes of a decoded pixel. */
const PIXEL_BYTES = 4;

/** The beginnings of png, jpeg, webp and avif: the library opens many other formats, and some of those are bombs. */
const PICTURE = /^(?:\u0089PNG|\u00ff\u00d8\u00ff|RIFF[^]{4}WEBP|[^]{4}ftyp(?:avi[fs]|mi[af]1|msf1))/;

interface OpenSide {
  readonly size: Size;
  /** Undefined: its elements, or their places, are unknown. */
  readonly placed: PlacedElements | undefined;
  /** Boxes of this picture that are left out. */
  readonly ignored: readonly Box[];
}

/** Two pictures whose sizes are known, and the elements of their pages. */
export interface OpenPictures {
  readonly call: CompareCall;
  readonly before: OpenSide;
  readonly after: OpenSide;
  /** Selectors that match nothing on either side. */
  readonly unmatched: readonly string[];
  /** Memory of both pictures when they are decoded. */
  readonly bytes: number;
}

/** Reads the headers of both pictures, and the elements of their pages. */
export async function openPictures(call: CompareCall): Promise<CompareAnswer<OpenPictures>> {
  const [before, after] = [await sizeOf('before', call), await sizeOf('after', call)];
  for (const size of [before, after]) if (typeof size === 'string') return { problem: size };
  if (typeof before === 'string' || typeof after === 'string') throw new TypeError('unreachable');
  const pixels = before.width * before.height + after.width * after.height;
  if (pixels > MOST_PIXELS)
    return { problem: `before and after have ${pixels} pixels, of at most ${MOST_PIXELS} together` };
  if (call.align === 'rows' && before.width !== after.width)
    return { problem: `before is ${before.width} px wide, after ${after.width} px: only align none accepts that` };
  const found: (PlacedElements | undefined)[] = [];
  for (const name of SIDES) {
    const placed = placedElements(call[name]);
    const fault = placed === undefined ? undefined : faultOf(name, placed, call.selectors);
    if (fault !== undefined) return fault;
    found.push(placed);
  }
  const [own, other] = found;
  if (call.selectors.length > 0 && own === undefined && other === undefined)
    return { problem: 'the elements to ignore could not be read' };
  // The places of a captured side hold for a picture, too.
  const boxesOfSide = (placed: PlacedElements | undefined): readonly Box[] => [
    ...call.ignored,
    ...boxesOf(placed ?? other ?? own),
  ];
  return {
    value: {
      call,
      before: { size: before, placed: own, ignored: boxesOfSide(own) },
      after: { size: after, placed: other, ignored: boxesOfSide(other) },
      unmatched: call.selectors.filter((_selector, index) => !found.some((each) => hasMatch(each, index))),
      bytes: pixels * PIXEL_BYTES,
    },
  };
}

function hasMatch(placed: PlacedElements | undefined, index: number): boolean {
  return (placed?.elements.matches[index] ?? 0) > 0;
}

/** Returns the size by the header alone, or the problem of the picture. */
async function sizeOf(side: SideName, { [side]: { bytes }, maxPixels }: CompareCall): Promise<Size | string> {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1');
  const sharp = await loadSharp();
  const found = PICTURE.test(start)
    ? await sharp(bytes, { limitInputPixels: false })
        .metadata()
        .catch(() => undefined)
    : undefined;
  if (found === undefined) return `${side}: is no png, jpeg, webp or avif`;
  const { width, height } = found;
  if (width * height > maxPixels) return `${side}: has ${width} x ${height} pixels, of at most ${maxPixels}`;
  return { width, height };
}

/** Decodes a picture. Returns its problem if it is damaged. */
export async function decode(side: SideName, bytes: Uint8Array): Promise<Bitmap | string> {
  try {
    const sharp = await loadSharp();
    const picture = sharp(bytes, { limitInputPixels: false, failOn: 'error' });
    const { hasAlpha } = await picture.metadata();
    const opaque = hasAlpha ? picture.flatten({ background: '#fff' }) : picture;
    const { data, info } = await opaque.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, pixels: data };
  } catch {
    return `${side}: is damaged`;
  }
}

/** Undefined for a side that is no capture, or whose page has made its elements unreadable. */
function placedElements({ elements: json, place }: ComparedSide): PlacedElements | undefined {
  if (json === undefined || place === undefined) return undefined;
  const parsed = elementsSchema.safeParse(parseJson(Buffer.from(json).toString('utf8')));
  if (!parsed.success) return undefined;
  const [x, y, zoom] = parsed.data.window;
  const page = place.page ?? { x, y, zoom };
  return { elements: parsed.data, origin: [page.x, page.y], density: page.zoom * place.density };
}

function faultOf(
  side: SideName,
  { elements }: PlacedElements,
  selectors: readonly string[],
): CompareAnswer<never> | undefined {
  const invalid = selectors.find((_selector, index) => elements.matches[index] === -1);
  if (invalid !== undefined)
    return { invalid: `${side}: ignore: ${JSON.stringify(invalid)} is not a valid CSS selector` };
  return elements.truncated
    ? { problem: `${side}: ignore: its selectors match more than ${MOST_ELEMENTS} elements` }
    : undefined;
}

function boxesOf(placed: PlacedElements | undefined): readonly Box[] {
  if (placed === undefined) return [];
  const { boxes } = placed.elements;
  return Array.from({ length: boxes.length / 4 }, (_, index) => {
    const [x = 0, y = 0, width = 0, height = 0] = boxes.slice(index * 4, index * 4 + 4);
    return boxOnPicture([x, y, width, height], placed);
  });
}
