import { all, attribute, read } from '../../../../core/steps/in-page/nodes.ts';
import { isSelector } from '../../../../core/steps/in-page/find-element.ts';
import { everywhere } from '../../../../core/steps/in-page/roots-of.ts';
import type { PartTaken } from '../take-parts.ts';
import { toNumber } from './written-number.ts';
import { decimalMarkOf, toBoolean } from './convert-values.ts';
import { textReader } from './seen-text.ts';

/** How a value is read: see `ValueSpec`. */
type Spec = {
  readonly selector: string;
  readonly attribute?: string | undefined;
  readonly property?: string | undefined;
  readonly all: boolean;
  readonly type?: 'text' | 'number' | 'boolean' | 'url' | 'html' | undefined;
  readonly fields?: Readonly<Record<string, Spec>> | undefined;
};

type Values = { readonly [name: string]: Value };
type Value = string | number | boolean | null | readonly Value[] | Values;

interface ValueBounds {
  /** Maximum number of values, with those inside of lists. */
  readonly maxValues: number;
  /** Maximum length of all texts together. */
  readonly maxLength: number;
}

const ADDRESSES: ReadonlySet<string> = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'poster',
  'cite',
  'data',
  'xlink:href',
]);

/**
 * Reads values from the page by their selectors, in all its trees and same-origin frames; those of `fields` inside of
 * their element. Runs in the page.
 */
export function readValues(specs: Readonly<Record<string, Spec>>, { maxValues, maxLength }: ValueBounds): PartTaken {
  const textOf = textReader();
  let [count, length] = [0, 0];
  let isCut = false;
  /** Counts a text. Longer ones than there is room for are cut. */
  const counted = (text: string): string => {
    const kept = text.slice(0, Math.max(maxLength - length, 0));
    length += kept.length;
    if (kept.length < text.length) isCut = true;
    return kept.toWellFormed();
  };

  const valueOf = (element: Element, spec: Spec): Value => {
    if (spec.fields !== undefined) return valuesOf(spec.fields, (selector) => inside(element, selector));
    if (length >= maxLength) {
      isCut = true;
      return null; // reading markup again and again would take minutes
    }
    const value = converted(element, spec);
    return typeof value === 'string' ? counted(value) : value;
  };
  const converted = (element: Element, spec: Spec): string | number | boolean | null => {
    const { type } = spec;
    if (type === 'html') return read(Element.prototype, element, 'outerHTML');
    const raw = rawOf(element, spec, (each) => textOf(each, type === 'number'));
    if (type === 'boolean') return toBoolean(raw, spec.attribute !== undefined);
    if (raw === null || (typeof raw !== 'string' && type === undefined)) return raw;
    const text = String(raw);
    if (type === 'number') return typeof raw === 'number' ? raw : toNumber(text, decimalMarkOf(element));
    if (type === 'url') return resolved(element, text);
    return spec.attribute !== undefined && ADDRESSES.has(spec.attribute.toLowerCase())
      ? (resolved(element, text) ?? text)
      : text;
  };
  const valuesOf = (fields: Readonly<Record<string, Spec>>, find: (selector: string) => Iterator<Element>): Values =>
    Object.fromEntries(
      Object.entries(fields).map(([name, spec]): [string, Value] => {
        const found = find(spec.selector);
        if (!spec.all) {
          const { value: element, done } = found.next();
          return [name, done === true || ++count > maxValues ? null : valueOf(element, spec)];
        }
        const list: Value[] = [];
        for (let next = found.next(); next.done !== true; next = found.next()) {
          if (++count > maxValues) {
            isCut = true;
            break;
          }
          list.push(valueOf(next.value, spec));
        }
        return [name, list];
      }),
    );

  const value = valuesOf(specs, everywhere);
  return { value: isCut ? { ...value, truncated: true } : value };
}

/** Yields the matches inside of an element and of its shadow tree. `:scope` is the element itself. */
function* inside(element: Element, selector: string): Generator<Element> {
  if (selector.trim() === ':scope') yield element;
  yield* all(element, selector);
  const shadow = read(Element.prototype, element, 'shadowRoot');
  if (shadow !== null) yield* all(shadow, selector);
}

/** Returns what is written in the page: an attribute, a property, or the text. */
function rawOf(
  element: Element,
  { attribute: name, property, type }: Spec,
  textOf: (element: Element) => string | null,
): string | number | boolean | null {
  if (name !== undefined) return attribute(element, name);
  if (property !== undefined) return propertyOf(element, property);
  if (type === 'url')
    for (const address of ADDRESSES) {
      const written = attribute(element, address);
      if (written !== null) return written;
    }
  return textOf(element);
}

/** Reads a property by the prototype that has it: a field named `action` hides the property of its form. */
function propertyOf(element: Element, name: string): string | number | boolean | null {
  for (let at: unknown = Object.getPrototypeOf(element); at instanceof Object; at = Object.getPrototypeOf(at)) {
    if (Object.getOwnPropertyDescriptor(at, name)?.get === undefined) continue;
    const value: unknown = Reflect.get(at, name, element);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
  }
  return null;
}

/** Returns the absolute address. Null for what is none. */
function resolved(element: Element, address: string): string | null {
  const base = read(Node.prototype, element, 'baseURI');
  const first = address.trim();
  if (URL.canParse(first, base)) return new URL(first, base).href;
  return null;
}

/** Returns the place of the first selector that the browser does not accept. Runs in the page. */
export function firstInvalid(selectors: readonly (readonly [place: string, selector: string])[]): string | undefined {
  return selectors.find(([, selector]) => !isSelector(selector))?.[0];
}
