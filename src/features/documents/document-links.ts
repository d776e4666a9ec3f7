import { contentPlace, type Printed } from './printing/content-room.ts';
import type { PdfFile } from './pdf-file.ts';

/** Beginning of a link to an address, as Chrome writes it. */
const ADDRESS = '/A <</Type /Action\n/S /URI\n/URI ';
const ACTION = /^[^(]*\((?:\\[\s\S]|[^\\)])*\)>>/;
const PLACE = /\[(\d+) 0 R \/XYZ (-?[\d.]+) (-?[\d.]+) 0\]/g;

/** Overwrites the addresses of links that begin with one of these words with spaces. Changes the bytes in place. */
export function removeLinks(body: Buffer, leadNowhere: readonly string[]): void {
  for (const word of leadNowhere) {
    const start = `${ADDRESS}(${word}`;
    for (let at = body.indexOf(start, 0, 'latin1'); at !== -1; at = body.indexOf(start, at + 1, 'latin1')) {
      const endsAt = body.indexOf('\nendobj\n', at, 'latin1');
      const [address] = ACTION.exec(body.toString('latin1', at, endsAt)) ?? [];
      if (address !== undefined) body.fill(' ', at, at + address.length, 'latin1');
    }
  }
}

/**
 * Returns the object with the places that links inside of the document lead to. Chrome writes them without margins and
 * scale (Chromium 153). Undefined if there are none.
 */
export function placesObject(
  file: PdfFile,
  printed: Printed,
): { readonly number: number; readonly text: string } | undefined {
  const [, places] = /\/Dests (\d+) 0 R/.exec(file.objectText(file.root)) ?? [];
  if (places === undefined) return undefined;
  const number = Number(places);
  return { number, text: moved(file, file.objectText(number), printed) };
}

/** Chrome writes the distance from the upper left corner of the content, unscaled, as the distance from the paper's. */
function moved(file: PdfFile, places: string, printed: Printed): string {
  const corners = new Map<number, ReturnType<typeof contentPlace>>();
  return places.replaceAll(PLACE, (_, number: string, x: string, y: string) => {
    const page = Number(number);
    const corner = corners.get(page) ?? contentPlace(file, page, printed);
    corners.set(page, corner);
    const { height } = file.sizeOf(page);
    const fromLeft = corner.left + printed.scale * Number(x);
    const fromTop = corner.top + printed.scale * (height - Number(y));
    return `[${page} 0 R /XYZ ${fromLeft.toFixed(2)} ${(height - fromTop).toFixed(2)} 0]`;
  });
}
