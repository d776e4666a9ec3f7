import { adoptStyleSheet } from '../../../in-page/adopt-style-sheet.ts';
import { setForPicture } from '../../../in-page/for-picture.ts';
import { announceOwnChange, attribute, isConnected, isElement } from '../../../in-page/nodes.ts';
import { declarationsOf, type Look, lookOf, textOf } from './part-look.ts';

/** How a part stays. */
export interface Held {
  readonly look: Look;
  /** Undefined to leave the text as it is. */
  readonly text: string | undefined;
}

const HELD = 'captureHeldParts'; // property of the isolated world's window, invisible to the page
const MARK = 'data-capture-held';
/** Outweighs the rules of the page, which may be important, too. */
const WEIGHT = ':not(#a#b#c)';

/** Holds parts as given, until the picture: a page may write its own styles again in each frame. */
export function holdAs(parts: ReadonlyMap<Element, Held>): void {
  Reflect.set(globalThis, HELD, parts);
  const groups = new Map<string, number>(); // thousands of parts have few looks, and each rule costs time
  for (const [part, { look, text }] of parts) {
    const declarations = Object.entries({ ...declarationsOf(look, lookOf(part)), transition: 'none' });
    const rule = declarations.map(([name, value]) => `${name}:${value}!important`).join(';');
    const group = groups.get(rule) ?? groups.size;
    groups.set(rule, group);
    setForPicture(part, MARK, `${group}`);
    if (isOtherText(part, text)) setText(part, text);
  }
  const rules = [...groups].map(([rule, group]) => `[${MARK}="${group}"]${WEIGHT}{${rule}}`);
  if (rules.length > 0) adoptStyleSheet(rules.join('\n'), MARK);
}

/** Holds the texts of the parts once more. One that a script has written again is replaced by a copy. */
export function holdTexts(): void {
  const parts: unknown = Reflect.get(globalThis, HELD);
  if (!(parts instanceof Map)) return;
  const held: ReadonlyMap<Element, Held> = parts;
  for (const [part, { text }] of held) {
    if (!isOtherText(part, text)) continue;
    const copy = Node.prototype.cloneNode.call(part);
    if (!isElement(copy)) continue;
    const mark = attribute(part, MARK) ?? '';
    Element.prototype.removeAttribute.call(copy, MARK);
    setForPicture(copy, MARK, mark);
    setText(copy, text);
    announceOwnChange();
    Element.prototype.replaceWith.call(part, copy);
  }
}

function isOtherText(part: Element, text: string | undefined): text is string {
  const now = isConnected(part) ? textOf(part) : undefined;
  return text !== undefined && now !== undefined && now !== text;
}

function setText(part: Element, text: string): void {
  Reflect.set(Node.prototype, 'textContent', text, part);
}
