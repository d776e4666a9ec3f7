import { boxOf, frameOf, isRendered, viewOf } from '../../../../core/steps/in-page/nodes.ts';
import type { Colour, Colours } from './colours.ts';
import type { Box, Doubt, ElementVisibilities, ElementVisibility } from './element-visibility.ts';
import type { Covers } from './covers.ts';
import { backdropBehind } from './layers.ts';
import { rectsOf } from './rects-of.ts';
import { isAllSeen, isPartSeen, SMALLEST, wordsInside } from './seen-lines.ts';
import { type JudgedPart, verdictOf } from './verdicts.ts';
import { withoutInvisible } from './invisible-characters.ts';

/** A text that was left out. */
interface HiddenText {
  readonly text: string;
  /** Why a person can't see it. */
  readonly reason: string;
}

const FAINTEST = 0.1; // opacity
const [MAX_OVERLAPPING, MAX_HIGHLIGHTS] = [20_000, 100];
const [MAX_HIDDEN, MAX_HIDDEN_LENGTH] = [1_000, 2_000];

/** A text whose visibility its styles alone do not decide. */
export interface DoubtfulText {
  readonly node: Node;
  readonly element: Element;
  readonly text: string;
  /** True if a shadow or a filled background makes the letters visible, whatever their own colour is. */
  readonly isOpen: boolean;
}

interface Undecided {
  readonly text: string;
  /** What pixels say. */
  readonly verdict: readonly JudgedPart[] | undefined;
}

/**
 * Decides whether a person can see a text: its size, place and colour. Where styles do not tell, it takes the verdicts
 * of the pixels. Runs in the page.
 */
export class TextVisibility {
  readonly #colours: Colours;
  readonly #elements: ElementVisibilities;
  readonly #covers: Covers;
  readonly #frames = new Map<Element, Doubt | undefined>();
  /** Decisions that need no pixels. A second copy takes them from here. */
  readonly #known = new Map<Node, { readonly text: string; readonly shown: string; readonly hidden: HiddenText[] }>();
  /** What was left out, the first thousand. */
  readonly hidden: HiddenText[] = [];
  /** Texts that need a verdict. */
  readonly doubtful: DoubtfulText[] = [];
  /** Lines of the texts that may be seen. */
  readonly lines: { readonly text: DoubtfulText; readonly box: Box }[] = [];
  #count = 0;

  constructor(colours: Colours, elements: ElementVisibilities, covers: Covers) {
    this.#colours = colours;
    this.#elements = elements;
    this.#covers = covers;
  }

  /** Starts a new copy: what was left out is forgotten. */
  begin(): void {
    this.hidden.length = 0;
    this.#count = 0;
  }

  /** Returns what a person can see of a text. */
  readonly shown = (node: Node, element: Element): string => {
    const value: unknown = Reflect.get(Node.prototype, 'nodeValue', node);
    const text = typeof value === 'string' ? value : '';
    if (text.trim() === '') return text;
    const verdict = verdictOf(node, text);
    const known = verdict === undefined ? this.#known.get(node) : undefined;
    if (known?.text === text) {
      for (const each of known.hidden) this.#leaveOut(each.text, each.reason);
      return known.shown;
    }
    const before = this.hidden.length;
    const shown = this.#decide(node, element, { text, verdict });
    if (shown !== undefined) this.#known.set(node, { text, shown, hidden: this.hidden.slice(before) });
    return shown ?? '';
  };

  /** Returns what a person can see of a text. Undefined if only pixels tell, and did not yet. */
  #decide(node: Node, element: Element, { text, verdict }: Undecided): string | undefined {
    const visibility = this.#elements.of(element);
    // The content of a closed `<details>` has boxes, but is not painted.
    const { display, contentVisibility } = visibility.style;
    const isPainted = contentVisibility !== 'hidden' && (display === 'contents' || isRendered(element));
    const rects = isPainted ? rectsOf(node, 0, text.length) : [];
    const seen = rects.filter((rect) => isPartSeen(rect, visibility.flow));
    const reason = this.#reasonFor(visibility, { rects, seen });
    if (reason !== undefined) {
      this.#leaveOut(text, reason);
      return '';
    }
    const doubtful = { node, element, text, isOpen: this.#isOpen(visibility) };
    const doubt = this.#doubtOf(doubtful, visibility, seen);
    for (const box of seen.slice(0, MAX_OVERLAPPING - this.lines.length)) this.lines.push({ text: doubtful, box });
    if (verdict !== undefined) return this.#withoutInvisible(this.#seenParts(verdict, doubt ?? 'covered'));
    if (doubt !== undefined) {
      this.doubtful.push(doubtful);
      this.#leaveOut(text, 'not_checked');
      return undefined;
    }
    const isWhollySeen = isAllSeen(rects, seen, visibility.flow);
    return this.#withoutInvisible(isWhollySeen ? text : this.#cut(node, text, visibility.flow));
  }

  /** Number of texts that were left out. */
  count(): number {
    return this.#count;
  }

  #withoutInvisible(text: string): string {
    const { visible, carried } = withoutInvisible(text);
    for (const each of carried) this.#leaveOut(each, 'invisible_characters');
    return visible;
  }

  #leaveOut(text: string, reason: string): void {
    if (text.trim() === '') return;
    this.#count++;
    if (this.hidden.length >= MAX_HIDDEN) return;
    this.hidden.push({ text: text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_HIDDEN_LENGTH).toWellFormed(), reason });
  }

  #cut(node: Node, text: string, flow: Box): string {
    const { inside, outside } = wordsInside(node, text, flow);
    this.#leaveOut(outside, 'clipped');
    return inside;
  }

  /** Returns why a text can't be seen. Undefined if it can. */
  #reasonFor(
    visibility: ElementVisibility,
    { rects, seen }: { readonly rects: readonly DOMRect[]; readonly seen: readonly DOMRect[] },
  ): string | undefined {
    const { fontSize, letterSpacing } = visibility.style;
    const size = Number.parseFloat(fontSize);
    const isCrammed = Number.parseFloat(letterSpacing) < -0.3 * size; // letters lie over each other
    if (rects.length === 0) return 'not_rendered';
    if (rects.every(({ height }) => height < SMALLEST) || size < SMALLEST || isCrammed) return 'too_small';
    if (seen.length === 0) return 'outside';
    if (visibility.style.getPropertyValue('-webkit-text-security') !== 'none') return 'covered';
    if (visibility.opacity < FAINTEST) return 'transparent';
    const isDecided = visibility.doubt === undefined && !this.#isOpen(visibility);
    return isDecided && this.#colourOf(visibility)[3] < FAINTEST ? 'transparent' : undefined;
  }

  /** Returns what may hide a text although its own styles show it. */
  #doubtOf(
    { node, element, isOpen }: DoubtfulText,
    { backdrop, doubt, isNoted }: ElementVisibility,
    lines: readonly Box[],
  ): Doubt | undefined {
    if (isNoted) return undefined; // it was seen while the page was scrolled
    if (doubt !== undefined) return doubt;
    const colour = this.#colourOf(this.#elements.of(element));
    const isPale = (behind: readonly Colour[] | undefined): boolean =>
      behind === undefined || behind.every((below) => this.#colours.isSame(colour, below));
    let isCovered = false;
    for (const line of lines) {
      const covers = this.#covers.over(element, line);
      if (covers?.length === 0) continue;
      isCovered = true;
      if (covers === undefined || isPale(backdropBehind(element, line, { covers, colours: this.#colours })))
        return 'covered';
    }
    if (!isCovered && isPale(backdrop) && !isOpen) return 'same_colour';
    return isHighlighted(node) ? 'transparent' : this.#doubtOfFrame(element);
  }

  #colourOf({ style, opacity }: ElementVisibility): Colour {
    const [red, green, blue, alpha] = this.#colours.read(style.webkitTextFillColor);
    return [red, green, blue, alpha * opacity];
  }

  /** True if letters are visible by a filled background, an outline or a shadow, whatever their colour is. */
  #isOpen({ style, backdrop, isTextFilled }: ElementVisibility): boolean {
    return isTextFilled || this.#isOutlined(style, backdrop);
  }

  /** True if the letters have an outline or a shadow that a person can see. */
  #isOutlined(style: CSSStyleDeclaration, backdrop: ElementVisibility['backdrop']): boolean {
    const stroke = Number.parseFloat(style.webkitTextStrokeWidth) > 0 ? [style.webkitTextStrokeColor] : [];
    const shadows = style.textShadow.match(/(?:rgba?|color|oklch|oklab|lab|lch)\([^()]{1,100}\)/g) ?? [];
    return [...stroke, ...shadows].some((text) => {
      const colour = this.#colours.read(text);
      return (backdrop ?? []).every((below) => !this.#colours.isSame(colour, below));
    });
  }

  /** Returns what may hide the frame that contains a text. */
  #doubtOfFrame(element: Element): Doubt | undefined {
    const frame = frameOf(element);
    if (frame === null) return undefined;
    if (!this.#frames.has(frame)) {
      const isCovered = this.#covers.over(frame, boxOf(frame))?.length !== 0;
      this.#frames.set(frame, isCovered ? 'covered' : this.#doubtOfFrame(frame));
    }
    return this.#frames.get(frame);
  }

  /** Returns the parts of a text that pixels show. */
  #seenParts(parts: readonly JudgedPart[], doubt: Doubt): string {
    const joined = (isSeen: boolean): string =>
      parts.flatMap((part) => (part.isSeen === isSeen ? part.text : [])).join('');
    this.#leaveOut(joined(false), doubt);
    const isChecked = parts.every(({ isSeen }) => isSeen !== undefined);
    if (!isChecked)
      this.#leaveOut(parts.flatMap((part) => (part.isSeen === undefined ? part.text : [])).join(' '), 'not_checked');
    return joined(true);
  }
}

/** True if the page marks a part of a text: by a selection, or by highlights of its own. */
function isHighlighted(node: Node): boolean {
  const view = viewOf(node);
  if (view === null) return false;
  const selection = view.getSelection();
  if (selection?.isCollapsed === false && selection.containsNode(node, true)) return true;
  let count = 0;
  for (const highlight of view.CSS.highlights.values())
    for (const range of highlight) {
      if (count++ >= MAX_HIGHLIGHTS) return true;
      const isLive = range instanceof view.Range;
      if (!isLive || Range.prototype.intersectsNode.call(range, node)) return true;
    }
  return false;
}
