import { boxOf, frameOf, isRendered } from '../../../../steps/in-page/nodes.ts';
import type { Colours } from './colours.ts';
import type { Box, ElementVisibilities, ElementVisibility } from './element-visibility.ts';
import type { HitTests } from './hit-tests.ts';

/** A text that was left out. */
interface HiddenText {
  readonly text: string;
  /** Why a person can't see it. */
  readonly reason: string;
}

const SMALLEST = 4; // CSS pixels
const FAINTEST = 0.1; // opacity
const [MAX_HIDDEN, MAX_HIDDEN_LENGTH, MAX_LOOKUPS, MAX_LINES, MAX_CUT] = [1_000, 2_000, 5_000, 10, 500_000];
// Keeps the joiners that scripts and emoji need, the tags of flags, and one variation selector.
const INVISIBLE =
  /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0000}-\u{E007F}]+|[\u{AD}\u{61C}\u{115F}\u{1160}\u{180B}-\u{180F}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}]+|(?<=[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]+/gu;

/**
 * Decides whether a person can see a text: its size, place, colour, and what lies over it. Runs in the page.
 */
export class TextVisibility {
  readonly #colours: Colours;
  readonly #elements: ElementVisibilities;
  readonly #hits: HitTests;
  readonly #frames = new Map<Element, string | undefined>();
  /** What was left out, the first thousand. */
  readonly hidden: HiddenText[] = [];
  #count = 0;

  constructor(colours: Colours, elements: ElementVisibilities, hits: HitTests) {
    this.#colours = colours;
    this.#elements = elements;
    this.#hits = hits;
  }

  /** Returns what a person can see of a text. */
  readonly shown = (node: Node, element: Element): string => {
    const value: unknown = Reflect.get(Node.prototype, 'nodeValue', node);
    const text = typeof value === 'string' ? value : '';
    if (text.trim() === '') return text;
    const visibility = this.#elements.of(element);
    // The content of a closed `<details>` has boxes, but is not painted.
    const { display, contentVisibility } = visibility.style;
    const isPainted = contentVisibility !== 'hidden' && (display === 'contents' || isRendered(element));
    const rects = isPainted ? rectsOf(node, 0, text.length) : [];
    const seen = rects.filter((rect) => isPartSeen(rect, visibility.flow));
    const reason = this.#reasonFor(element, visibility, { rects, seen });
    if (reason !== undefined) {
      this.#leaveOut(text, reason);
      return '';
    }
    const isWhollySeen = isAllSeen(rects, seen, visibility.flow);
    return this.#withoutInvisible(isWhollySeen ? text : this.#seenWords(node, text, visibility.flow));
  };

  /** Number of texts that were left out. */
  count(): number {
    return this.#count;
  }

  /** Restores the page. */
  end(): void {
    this.#hits.end();
  }

  #leaveOut(text: string, reason: string): void {
    if (text.trim() === '') return;
    this.#count++;
    if (this.hidden.length >= MAX_HIDDEN) return;
    this.hidden.push({ text: text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_HIDDEN_LENGTH).toWellFormed(), reason });
  }

  /** Tag characters and variation selectors carry letters that only machines read. */
  #withoutInvisible(text: string): string {
    // eslint-disable-next-line no-control-regex
    if (!/[^\u0000-\u00AC\u00AE-\u02FF]/.test(text)) return text;
    return text.replaceAll(INVISIBLE, (found) => {
      const letters = Array.from(found, (each) => {
        const point = each.codePointAt(0) ?? 0;
        return point >= 0xe0020 && point <= 0xe007e ? String.fromCodePoint(point - 0xe0000) : '';
      });
      const carried = letters.join('') || (found.length > 6 ? found : '');
      if (carried !== '') this.#leaveOut(carried, 'invisible_characters');
      return '';
    });
  }

  /**
   * Returns the visible words of a partly visible text. Halves the text until each part is visible as a whole, or
   * hidden.
   */
  #seenWords(node: Node, text: string, flow: Box): string {
    const words = [...text.slice(0, MAX_CUT).matchAll(/\s+|\S{1,40}/gu)];
    const [parts, out]: [string[], string[]] = [[], []];
    let lookups = 0;
    const visit = (from: number, to: number): void => {
      const [first, last] = [words[from], words[to - 1]];
      if (first === undefined || last === undefined) return;
      const stop = last.index + last[0].length;
      const rects = lookups++ < MAX_LOOKUPS ? rectsOf(node, first.index, stop) : [];
      const seen = rects.filter((rect) => isPartSeen(rect, flow));
      const part = text.slice(first.index, stop);
      const isSplit = !isAllSeen(rects, seen, flow) && seen.length > 0 && to - from > 1;
      if (isSplit) {
        const middle = (from + to) >> 1;
        visit(from, middle);
        visit(middle, to);
      } else if (part.trim() === '' || seen.length > 0) parts.push(part);
      else out.push(part);
    };
    visit(0, words.length);
    out.push(text.slice(MAX_CUT));
    this.#leaveOut(out.join(' '), 'clipped');
    return parts.join('');
  }

  /** Returns why a text can't be seen. Undefined if it can. */
  #reasonFor(
    element: Element,
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
    return this.#reasonOfPaint(element, visibility, sampleOf(seen)) ?? this.#reasonOfFrame(element);
  }

  #reasonOfPaint(
    element: Element,
    { style, opacity, backdrop, isTextFilled, blendMode, shaped, isBehind }: ElementVisibility,
    lines: readonly Box[],
  ): string | undefined {
    if (opacity < FAINTEST) return 'transparent';
    const [red, green, blue, alpha] = this.#colours.read(style.webkitTextFillColor);
    const colour = [red, green, blue, alpha * opacity] as const;
    const isOpen = isTextFilled || this.#isOutlined(style, backdrop);
    if (alpha * opacity < FAINTEST) return isOpen ? undefined : 'transparent';
    const isPale =
      !isOpen &&
      backdrop !== undefined &&
      backdrop.length > 0 &&
      backdrop.every((below) => this.#colours.isSame(colour, below, blendMode));
    const isSuspect = isPale || shaped !== undefined || isBehind;
    const suspects = isSuspect ? lines : lines.filter((box) => this.#hits.mayBeCovered(element, box));
    const reasons = suspects.flatMap((box) => this.#hits.reasonOf({ element, box, colour, isPale }) ?? []);
    return reasons.length > lines.length / 2 ? reasons[0] : undefined;
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

  /** Returns why the frame that contains a text can't be seen, because something lies over it. */
  #reasonOfFrame(element: Element): string | undefined {
    const frame = frameOf(element);
    if (frame === null) return undefined;
    if (this.#frames.has(frame)) return this.#frames.get(frame);
    const box = boxOf(frame);
    const isSuspect = this.#hits.mayBeCovered(frame, box);
    const covered = isSuspect
      ? this.#hits.reasonOf({ element: frame, box, colour: [0, 0, 0, 1], isPale: false })
      : undefined;
    const reason = covered ?? this.#reasonOfFrame(frame);
    this.#frames.set(frame, reason);
    return reason;
  }
}

function rectsOf(node: Node, start: number, stop: number): readonly DOMRect[] {
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, stop);
  return [...range.getClientRects()];
}

function isPartSeen(rect: DOMRect, { left, top, right, bottom }: Box): boolean {
  const wide = Math.min(rect.right, right) - Math.max(rect.left, left);
  const high = Math.min(rect.bottom, bottom) - Math.max(rect.top, top);
  return rect.height >= SMALLEST && wide >= Math.min(2, rect.width * 0.5) && wide > 0 && high >= rect.height * 0.4;
}

function isAllSeen(rects: readonly DOMRect[], seen: readonly DOMRect[], { left, right }: Box): boolean {
  return seen.length === rects.length && seen.every((rect) => rect.left >= left - 2 && rect.right <= right + 2);
}

/** Returns the lines, or evenly spaced ones if there are many. */
function sampleOf(lines: readonly Box[]): readonly Box[] {
  if (lines.length <= MAX_LINES) return lines;
  const step = (lines.length - 1) / (MAX_LINES - 1);
  return Array.from({ length: MAX_LINES }, (_, index) => lines[Math.round(index * step)]).filter(
    (line) => line !== undefined,
  );
}
