import { all, attribute, boxOf, parentElementOf } from '../../../core/steps/in-page/nodes.ts';

const ADDRESSES = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-actualsrc',
  'data-hi-res-src',
  'data-full-src',
];
const SETS = ['data-srcset', 'data-lazy-srcset'];
/** Attributes with JSON in which one member is the address. */
const OBJECTS = ['data-attrs', 'data-image', 'data-media'];
const MOST_JSON = 10_000;
/** A picture that is drawn this much larger than it is stands for another one. */
const MOST_ENLARGED = 2;
/** Sides of pictures that are no more than a placeholder. */
const PLACEHOLDER = 32;

/**
 * Returns the addresses that a picture may have, the best first: those that a script would load later stand before a
 * placeholder, and after a picture that is loaded.
 */
export function pictureAddresses(picture: Element): readonly string[] {
  const loaded: string = Reflect.get(HTMLImageElement.prototype, 'currentSrc', picture);
  const named = attribute(picture, 'src') ?? '';
  const around = parentElementOf(picture);
  const sources = around?.localName === 'picture' ? all(around, 'source') : [];
  const valuesOf = (names: readonly string[]): string[] => names.map((name) => attribute(picture, name) ?? '');
  const later = [
    ...valuesOf(ADDRESSES),
    ...[...valuesOf(SETS), ...sources.map((source) => attribute(source, 'data-srcset') ?? '')].map(largestOf),
    ...valuesOf(OBJECTS).map(addressIn),
  ].filter((address) => address !== '');
  const rest = [
    named,
    largestOf(attribute(picture, 'srcset') ?? ''),
    ...sources.map((source) => largestOf(attribute(source, 'srcset') ?? '')),
  ];
  return isPlaceholder(picture, loaded) ? [...later, ...rest, loaded] : [loaded, ...later, ...rest];
}

function isPlaceholder(picture: Element, loaded: string): boolean {
  if (loaded === '' || loaded.startsWith('data:')) return true;
  const width: number = Reflect.get(HTMLImageElement.prototype, 'naturalWidth', picture);
  const height: number = Reflect.get(HTMLImageElement.prototype, 'naturalHeight', picture);
  if (width === 0) return true; // not loaded
  return Math.max(width, height) <= PLACEHOLDER || boxOf(picture).width > width * MOST_ENLARGED;
}

/** Returns the address of the widest picture of a set. */
function largestOf(set: string): string {
  let largest = '';
  let most = -1;
  for (const candidate of set.trim().split(/(?<=\s[\d.]{1,9}[wx]),|,\s/)) {
    const [address = '', size = '1'] = candidate.trim().split(/\s+/);
    const width = Number.parseFloat(size);
    if (width > most) [largest, most] = [address, width];
  }
  return largest;
}

function addressIn(text: string): string {
  if (!text.startsWith('{') || text.length > MOST_JSON) return '';
  const [, address = ''] = /"(?:src|url)"\s*:\s*"([^"\\]+)"/.exec(text) ?? [];
  return address;
}
