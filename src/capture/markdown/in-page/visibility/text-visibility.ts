import type { Colours } from './colours.ts';
import type { Box, ElementVisibility } from './element-visibility.ts';
import type { HitTests } from './hit-tests.ts';

/** A text that was left out. */
interface HiddenText {
  readonly text: string;
  /** Why a person can't see it. */
  readonly reason: string;
}

export interface TextVisibility {
  /** Returns what a person can see of a text. */
  readonly shown: (text: Node, element: Element) => string;
  /** What was left out, the first thousand. */
  readonly hidden: readonly HiddenText[];
  /** Number of texts that were left out. */
  readonly count: () => number;
  /** Restores the page. */
  readonly end: () => void;
}

/** Type of `textVisibility`. */
export type CreateTextVisibility = typeof textVisibility;

/**
 * Creates a function that decides whether a person can see a text: its size, place, colour, and what lies over it. Runs
 * in the page.
 */
export function textVisibility(
  { read, isSame }: Colours,
  visibilityOf: (element: Element) => ElementVisibility,
  { mayBeCovered, reasonOf, end }: HitTests,
): TextVisibility {
  const smallest = 4; // CSS pixels
  const faintest = 0.1; // opacity
  const [maxHidden, maxHiddenLength, maxLookups, maxLines, maxCut] = [1_000, 2_000, 5_000, 10, 500_000];
  const hidden: HiddenText[] = [];
  let count = 0;
  // Keeps the joiners that scripts and emoji need, the tags of flags, and one variation selector.
  const invisible =
    /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0000}-\u{E007F}]+|[\u{AD}\u{61C}\u{115F}\u{1160}\u{180B}-\u{180F}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}]+|(?<=[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]+/gu;

  const leaveOut = (text: string, reason: string): void => {
    if (text.trim() === '') return;
    count++;
    if (hidden.length < maxHidden)
      hidden.push({
        text: text.replaceAll(/\s+/g, ' ').trim().slice(0, maxHiddenLength).toWellFormed(),
        reason,
      });
  };
  /** Tag characters and variation selectors carry letters that only machines read. */
  const withoutInvisible = (text: string): string => {
    // eslint-disable-next-line no-control-regex
    if (!/[^\u0000-\u00AC\u00AE-\u02FF]/.test(text)) return text;
    return text.replaceAll(invisible, (found) => {
      const letters = Array.from(found, (each) => {
        const point = each.codePointAt(0) ?? 0;
        return point >= 0xe0020 && point <= 0xe007e ? String.fromCodePoint(point - 0xe0000) : '';
      });
      const carried = letters.join('') || (found.length > 6 ? found : '');
      if (carried !== '') leaveOut(carried, 'invisible_characters');
      return '';
    });
  };
  const rectsOf = (node: Node, start: number, stop: number): readonly DOMRect[] => {
    const range = new Range();
    range.setStart(node, start);
    range.setEnd(node, stop);
    return [...range.getClientRects()];
  };
  const seenPart = (rect: DOMRect, { left, top, right, bottom }: Box): boolean => {
    const wide = Math.min(rect.right, right) - Math.max(rect.left, left);
    const high = Math.min(rect.bottom, bottom) - Math.max(rect.top, top);
    return rect.height >= smallest && wide >= Math.min(2, rect.width * 0.5) && wide > 0 && high >= rect.height * 0.4;
  };
  const isInside = (rect: DOMRect, { left, right }: Box): boolean => rect.left >= left - 2 && rect.right <= right + 2;
  /**
   * Returns the visible words of a partly visible text. Halves the text until each part is visible as a whole, or
   * hidden.
   */
  const seenWords = (node: Node, text: string, flow: Box): string => {
    const words = [...text.slice(0, maxCut).matchAll(/\s+|\S{1,40}/gu)];
    const [parts, out]: [string[], string[]] = [[], []];
    let lookups = 0;
    const visit = (from: number, to: number): void => {
      const [first, last] = [words[from], words[to - 1]];
      if (first === undefined || last === undefined) return;
      const stop = last.index + last[0].length;
      const rects = lookups++ < maxLookups ? rectsOf(node, first.index, stop) : [];
      const seen = rects.filter((rect) => seenPart(rect, flow));
      const isWhollySeen = seen.length === rects.length && seen.every((rect) => isInside(rect, flow));
      const part = text.slice(first.index, stop);
      const isSplit = !isWhollySeen && seen.length > 0 && to - from > 1;
      if (isSplit) {
        const middle = (from + to) >> 1;
        visit(from, middle);
        visit(middle, to);
      } else if (part.trim() === '' || seen.length > 0) parts.push(part);
      else out.push(part);
    };
    visit(0, words.length);
    out.push(text.slice(maxCut));
    leaveOut(out.join(' '), 'clipped');
    return parts.join('');
  };
  /** True if the letters have an outline or a shadow that a person can see. */
  const isOutlined = (style: CSSStyleDeclaration, backdrop: ElementVisibility['backdrop']): boolean => {
    const stroke = Number.parseFloat(style.webkitTextStrokeWidth) > 0 ? [style.webkitTextStrokeColor] : [];
    const shadows = style.textShadow.match(/(?:rgba?|color|oklch|oklab|lab|lch)\([^()]{1,100}\)/g) ?? [];
    return [...stroke, ...shadows].some((text) => {
      const colour = read(text);
      return (backdrop ?? []).every((below) => !isSame(colour, below));
    });
  };

  /** Returns the lines, or evenly spaced ones if there are many. */
  const sampleOf = (lines: readonly Box[]): readonly Box[] => {
    const step = Math.max(1, (lines.length - 1) / (maxLines - 1));
    return lines.length <= maxLines
      ? lines
      : Array.from({ length: maxLines }, (_, index) => lines[Math.round(index * step)]).filter(
          (line) => line !== undefined,
        );
  };
  const framesKnown = new Map<Element, string | undefined>();
  /** Returns why the frame that contains a text can't be seen, because something lies over it. */
  const reasonOfFrame = (element: Element): string | undefined => {
    const frame = element.ownerDocument.defaultView?.frameElement;
    if (frame === null || frame === undefined) return undefined;
    if (framesKnown.has(frame)) return framesKnown.get(frame);
    const box = Element.prototype.getBoundingClientRect.call(frame);
    const isSuspect = mayBeCovered(frame, box);
    const reason =
      (isSuspect ? reasonOf({ element: frame, box, colour: [0, 0, 0, 1], isPale: false }) : undefined) ??
      reasonOfFrame(frame);
    framesKnown.set(frame, reason);
    return reason;
  };

  const reasonFor = (
    element: Element,
    { style, opacity, backdrop, isTextFilled, blendMode, shaped, isBehind }: ElementVisibility,
    lines: readonly Box[],
  ): string | undefined => {
    if (opacity < faintest) return 'transparent';
    const [red, green, blue, alpha] = read(style.webkitTextFillColor);
    const colour = [red, green, blue, alpha * opacity] as const;
    const isOpen = isTextFilled || isOutlined(style, backdrop);
    if (alpha * opacity < faintest) return isOpen ? undefined : 'transparent';
    const isPale =
      !isOpen &&
      backdrop !== undefined &&
      backdrop.length > 0 &&
      backdrop.every((below) => isSame(colour, below, blendMode));
    const isSuspect = isPale || shaped !== undefined || isBehind;
    const suspects = isSuspect ? lines : lines.filter((box) => mayBeCovered(element, box));
    const reasons = suspects.flatMap((box) => reasonOf({ element, box, colour, isPale }) ?? []);
    return reasons.length > lines.length / 2 ? reasons[0] : undefined;
  };

  return {
    shown: (node, element) => {
      const text = Reflect.get(Node.prototype, 'nodeValue', node) ?? '';
      if (text.trim() === '') return text;
      const visibility = visibilityOf(element);
      // The content of a closed `<details>` has boxes, but is not painted.
      const { display, contentVisibility, fontSize, letterSpacing } = visibility.style;
      const isPainted =
        contentVisibility !== 'hidden' && (display === 'contents' || Element.prototype.checkVisibility.call(element));
      const rects = isPainted ? rectsOf(node, 0, text.length) : [];
      const seen = rects.filter((rect) => seenPart(rect, visibility.flow));
      const [box] = seen;
      const size = Number.parseFloat(fontSize);
      const isCrammed = Number.parseFloat(letterSpacing) < -0.3 * size; // letters lie over each other
      const reason =
        rects.length === 0
          ? 'not_rendered'
          : rects.every(({ height }) => height < smallest) || size < smallest || isCrammed
            ? 'too_small'
            : box === undefined
              ? 'outside'
              : visibility.style.getPropertyValue('-webkit-text-security') !== 'none'
                ? 'covered'
                : (reasonFor(element, visibility, sampleOf(seen)) ?? reasonOfFrame(element));
      if (reason !== undefined) {
        leaveOut(text, reason);
        return '';
      }
      const isWhollySeen = seen.length === rects.length && seen.every((rect) => isInside(rect, visibility.flow));
      return withoutInvisible(isWhollySeen ? text : seenWords(node, text, visibility.flow));
    },
    hidden,
    count: () => count,
    end,
  };
}
