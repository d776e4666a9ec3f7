import { announceOwnChange, attribute, setAttribute, setStyles } from './nodes.ts';

// Changes that only the picture or the document needs. The markup of the page is returned without them.

type Originals = Map<Element, Map<string, string | null>>;

const ORIGINALS = 'captureOriginals'; // property of the isolated world's window, invisible to the page

function originals(): Originals {
  const known: unknown = Reflect.get(globalThis, ORIGINALS);
  if (known instanceof Map) return known;
  const none: Originals = new Map();
  Reflect.set(globalThis, ORIGINALS, none);
  return none;
}

function remember(element: Element, name: string): void {
  const all = originals();
  const known = all.get(element) ?? new Map<string, string | null>();
  if (!known.has(name)) known.set(name, attribute(element, name));
  all.set(element, known);
}

/** Sets styles like `setStyles`. */
export function styleForPicture(element: Element, styles: Readonly<Record<string, string>>): void {
  remember(element, 'style');
  setStyles(element, styles);
}

/** Sets an attribute. */
export function setForPicture(element: Element, name: string, value: string): void {
  remember(element, name);
  setAttribute(element, name, value);
}

/** Reads something of the page as it is without these changes. They are back before anything is laid out. */
export function withoutChanges<T>(take: () => T): T {
  const changed = [...originals()].flatMap(([element, names]) =>
    [...names].map(([name, before]) => ({ element, name, before, now: attribute(element, name) })),
  );
  if (changed.length === 0) return take();
  announceOwnChange();
  for (const { element, name, before } of changed) restore(element, name, before);
  try {
    return take();
  } finally {
    for (const { element, name, now } of changed) restore(element, name, now);
  }
}

function restore(element: Element, name: string, value: string | null): void {
  if (value === null) Element.prototype.removeAttribute.call(element, name);
  else setAttribute(element, name, value);
}
