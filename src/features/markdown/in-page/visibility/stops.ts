import { clippersOf } from '../../../../core/steps/in-page/clippers.ts';
import {
  adoptRules,
  isDocument,
  read,
  scrollElement,
  scrollToMiddle,
  sheetsOf,
  viewOf,
} from '../../../../core/steps/in-page/nodes.ts';
import type { Box } from '../../../../core/steps/in-page/placement.ts';
import { rootsOf } from '../../../../core/steps/in-page/roots-of.ts';
import { freeze, isMoving, muteScrolling } from './still-page.ts';
import type { DoubtfulText } from './text-visibility.ts';
import type { JudgedPart } from './verdicts.ts';
import { isInMiddle, lineOf, meet, visibleBox } from './word-box.ts';

/** A part of a doubtful text. */
export interface Suspect extends DoubtfulText {
  readonly part: JudgedPart;
}

/** A place of the window where pictures show suspects. */
export interface Stop {
  /** Where the visible window begins, in CSS pixels of the page. */
  readonly x: number;
  readonly y: number;
  readonly words: readonly Word[];
  /** True if something may move between two pictures: a video, or an animated picture. */
  readonly isMoving: boolean;
}

/** In CSS pixels of the visible window. */
interface Word extends Box {
  /** Words of different texts in one group lie apart. */
  readonly group: number;
  /** True if it has letters, which are as high as a part of their line. */
  readonly isHigh: boolean;
}

/** The suspects in the window, and whether their verdict counts even if they are not seen. */
interface Shown {
  readonly suspect: Suspect;
  readonly group: number;
  readonly box: Box;
  readonly isFinal: boolean;
}

/** Random, so that rules of the page can't change the pixels of its hidden texts. */
interface HighlightNames {
  readonly hidden: string;
  readonly marked: string;
}

interface Journey {
  readonly names: HighlightNames;
  readonly suspects: readonly Suspect[];
  next: number;
  shown: readonly Shown[];
  readonly scrolled: Map<Element, { readonly left: number; readonly top: number }>;
  readonly sheets: Map<Document, CSSStyleSheet>;
  /** How often a part had moved before its verdict. */
  readonly moved: Map<JudgedPart, number>;
  /** Lets the page hear of scrolling again. */
  readonly unmute: () => void;
  /** Lets animations go on. */
  readonly unfreeze: () => void;
}

const MAX_WORDS = 1_000; // at one stop
const MAX_TRIED = 5_000;
const HIGH = /[\p{L}\p{N}].*[\p{L}\p{N}]/u; // one letter may be a single stroke
const MAX_TRIES = 3;
const MAX_GROUPS = 3; // each needs a picture at each stop
// Highlights change the paint of letters alone: neither the layout nor the markup.
const rulesOf = ({ hidden, marked }: HighlightNames): string =>
  `:root::highlight(${hidden}) { color: transparent; -webkit-text-fill-color: transparent;
-webkit-text-stroke-color: transparent; text-shadow: none; text-decoration-color: transparent }
:root::highlight(${marked}) { color: #f0f; -webkit-text-fill-color: #f0f }`;
// A selection is painted over the highlights.
const SELECTED = '*::selection { color: transparent !important; -webkit-text-fill-color: transparent !important }';

/** Prepares a journey to all suspects. `nextStop` ends it. Runs in the page. */
export function startJourney(suspects: readonly Suspect[]): void {
  const journey: Journey = {
    names: { hidden: randomName(), marked: randomName() },
    suspects,
    next: 0,
    shown: [],
    scrolled: new Map(),
    sheets: new Map(),
    moved: new Map(),
    unmute: muteScrolling(),
    unfreeze: freeze(),
  };
  for (const root of rootsOf()) {
    const sheet = isDocument(root) ? adoptRules(root, rulesOf(journey.names)) : undefined;
    if (isDocument(root) && sheet !== undefined) journey.sheets.set(root, sheet);
  }
  Object.assign(globalThis, { captureJourney: journey });
}

/**
 * Keeps the verdicts of the last stop, one digit per word, and scrolls to the next suspect without a verdict. Returns
 * null when there is none; then, or with `isOver`, the page is as before. Runs in the page.
 */
export function nextStop(seen: string, isOver: boolean): Stop | null {
  const journey: Journey | undefined = Reflect.get(globalThis, 'captureJourney');
  if (journey === undefined) return null;
  keepVerdictsOf(journey, seen);
  if (isOver) journey.next = journey.suspects.length;
  for (; journey.next < journey.suspects.length; journey.next++) {
    const target = journey.suspects[journey.next];
    if (target?.part.isSeen !== undefined || target === undefined) continue;
    goTo(target, journey);
    const words = wordsInWindow(target, journey);
    if (words !== undefined) return { ...beginningOfWindow(), words, isMoving: isMoving() };
    target.part.isSeen = false;
  }
  end(journey);
  return null;
}

function keepVerdictsOf({ shown, moved }: Journey, seen: string): void {
  const clips = new Map<Element, Box>();
  for (const [index, { suspect, box, isFinal }] of shown.entries()) {
    const { part } = suspect;
    if (seen[index] === '1') part.isSeen = true;
    else if (isFinal) {
      // The layout may have moved while the pictures were taken, for example for a picture that arrived.
      const now = visibleBox(suspect, clips);
      const hasMoved = now === undefined || Math.abs(now.x - box.x) + Math.abs(now.y - box.y) > 1;
      const tries = (moved.get(part) ?? 0) + 1;
      moved.set(part, tries);
      if (!hasMoved || tries > MAX_TRIES) part.isSeen = false;
    }
  }
}

/** Hides or marks the letters of a group; of no group with -1. Runs in the page. */
export function paintGroup(group: number): void {
  const journey: Journey | undefined = Reflect.get(globalThis, 'captureJourney');
  if (journey === undefined) return;
  clearHighlights(journey);
  if (group >= 0) for (const sheet of journey.sheets.values()) sheet.insertRule(SELECTED, sheet.cssRules.length);
  for (const { suspect, group: own } of journey.shown) {
    const { node, part, isOpen } = suspect;
    const view = viewOf(node);
    if (own !== group || view === null) continue;
    const range = new view.Range();
    range.setStart(node, part.start);
    range.setEnd(node, part.stop);
    const name = isOpen ? journey.names.marked : journey.names.hidden;
    const known = view.CSS.highlights.get(name);
    if (known !== undefined) known.add(range);
    else {
      const highlight = new view.Highlight(range);
      highlight.priority = 1e9; // over highlights of the page
      view.CSS.highlights.set(name, highlight);
    }
  }
}

function randomName(): string {
  return `capture-${Math.random().toString(36).slice(2)}`;
}

function clearHighlights({ sheets, names }: Journey): void {
  for (const [each, sheet] of sheets) {
    for (const name of Object.values(names)) viewOf(each)?.CSS.highlights.delete(name);
    sheet.replaceSync(rulesOf(names));
  }
}

function end(journey: Journey): void {
  clearHighlights(journey);
  for (const [each, sheet] of journey.sheets) {
    const sheets = sheetsOf(each);
    const index = sheets.indexOf(sheet);
    if (index !== -1) sheets.splice(index, 1);
  }
  journey.unfreeze();
  for (const [element, { left, top }] of journey.scrolled) scrollElement(element, { left, top });
  requestAnimationFrame(() => requestAnimationFrame(journey.unmute)); // the last scroll is announced in the next frame
  Object.assign(globalThis, { captureJourney: undefined });
}

function goTo({ node, element, part }: Suspect, { scrolled }: Journey): void {
  for (const scroller of scrollersOf(element)) {
    if (scrolled.has(scroller)) continue;
    const left = read(Element.prototype, scroller, 'scrollLeft');
    scrolled.set(scroller, { left, top: read(Element.prototype, scroller, 'scrollTop') });
  }
  scrollToMiddle(element);
  const box = lineOf({ node, part });
  const view = viewOf(node);
  if (box === undefined || view === null || (box.top >= 0 && box.bottom <= view.innerHeight)) return;
  view.scrollBy({ top: box.top - view.innerHeight / 2, behavior: 'instant' }); // an element higher than the window
}

function* scrollersOf(element: Element): Generator<Element> {
  yield* clippersOf(element);
  for (const root of rootsOf()) {
    const scroller = isDocument(root) ? read(Document.prototype, root, 'scrollingElement') : null;
    if (scroller !== null) yield scroller;
  }
}

/** Returns the suspects in the window, the target first. Undefined if that can't be scrolled into view. */
function wordsInWindow(target: Suspect, journey: Journey): Stop['words'] | undefined {
  const { offsetLeft, offsetTop } = visualViewport ?? { offsetLeft: 0, offsetTop: 0 };
  const clips = new Map<Element, Box>();
  const words: Word[] = [];
  const shown: Shown[] = [];
  const add = (suspect: Suspect): boolean => {
    const box = visibleBox(suspect, clips);
    const group = box && freeGroup(box, suspect, { words, shown });
    if (box === undefined || group === undefined) return false;
    words.push({ ...box, x: box.x - offsetLeft, y: box.y - offsetTop, group, isHigh: HIGH.test(suspect.part.text) });
    shown.push({ suspect, group, box, isFinal: suspect.node === target.node || isInMiddle(box) });
    return true;
  };
  if (!add(target)) return undefined;
  for (const suspect of journey.suspects.slice(journey.next + 1, journey.next + MAX_TRIED)) {
    if (words.length >= MAX_WORDS) break;
    if (suspect.part.isSeen === undefined) add(suspect);
  }
  journey.shown = shown;
  return words;
}

/** Returns a group in which no other text lies over the box. */
function freeGroup(
  box: Box,
  { node }: Suspect,
  { words, shown }: { readonly words: Stop['words']; readonly shown: readonly Shown[] },
): number | undefined {
  const taken = new Set<number>();
  for (const [index, word] of words.entries())
    if (shown[index]?.suspect.node !== node && meet(box, word)) taken.add(word.group);
  for (let group = 0; group < MAX_GROUPS; group++) if (!taken.has(group)) return group;
  return undefined;
}

function beginningOfWindow(): Pick<Stop, 'x' | 'y'> {
  return { x: visualViewport?.pageLeft ?? scrollX, y: visualViewport?.pageTop ?? scrollY };
}
