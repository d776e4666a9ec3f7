import type { SourceBounds, SourcePart, ReadPart } from '../../../steps/in-page/source-part.ts';
import type { AddressResolver } from './address-resolver.ts';
import type { ElementCopier } from './element-copier.ts';
import type { FindMainContent, ReadabilityClass } from './main-content.ts';
import type { PlainText } from './plain-text.ts';
import type { TidyTables } from './tidy-tables.ts';
import type { ToMarkdown, TurndownClass } from './to-markdown.ts';
import type { VisibleCopy } from './visible-copy.ts';
import type { VisibilityTools } from './visibility/open-visibility.ts';

/** The conversion packages. */
interface Converters {
  readonly Readability: ReadabilityClass;
  readonly TurndownService: TurndownClass;
}

interface MarkdownRequest extends SourceBounds {
  /** True for the element that `keepElement` has stored, false for the page. */
  readonly isElement: boolean;
  readonly isMainContent: boolean;
  /** True for the text that a person can see only. */
  readonly isVisible: boolean;
}

export interface PageMarkdown extends SourcePart {
  /** False if the main content was not found. */
  readonly isFound: boolean;
  /** True if the result is plain text. */
  readonly isPlain: boolean;
  /** True if texts were left out because a person can't see them. */
  readonly isHidden: boolean;
}

/**
 * Returns markdown of the page, its main content or one element, or the beginning of it. Null if the element was
 * removed with its document. Works on a copy and leaves the page unchanged. Runs in the page.
 */
export function pageMarkdown(
  { Readability, TurndownService }: Converters,
  { isElement: isOfElement, isMainContent, isVisible, maxLength, partLength }: MarkdownRequest,
  elementCopier: ElementCopier,
  addressResolver: AddressResolver,
  visibleCopy: VisibleCopy,
  mainContent: FindMainContent,
  tidyTables: TidyTables,
  toMarkdown: ToMarkdown,
  plainText: PlainText,
  sourcePart: ReadPart,
  ...[openVisibility, ...tools]: VisibilityTools
): PageMarkdown | null {
  // Elements of frames are not instances of this window's classes.
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'nodeType' in value;
  const start: unknown = isOfElement ? Reflect.get(globalThis, 'captureElement') : null;
  if (start !== null && !isElement(start)) return null;
  const visibility = isVisible ? openVisibility(...tools) : undefined;
  const copy = visibleCopy(start, elementCopier, addressResolver, visibility?.shown);
  visibility?.end();
  const isHidden = visibility !== undefined && visibility.count() > 0;
  const whole = copy.importNode(copy.body, true); // Readability consumes the copy
  Object.assign(globalThis, { captureCopy: whole });

  let root: Element = whole;
  let title = '';
  let isFound = true;
  if (!isOfElement && isMainContent) {
    try {
      const found = mainContent(copy, Readability);
      isFound = found !== undefined;
      if (found !== undefined) ({ title, content: root } = found);
    } catch {
      isFound = false; // the page is too deep or too large for Readability
    }
  }

  let text: string;
  let isPlain = false;
  try {
    tidyTables(root);
    const heading = copy.createElement('h1');
    heading.append(title);
    root.prepend(heading);
    text = toMarkdown(root, TurndownService);
  } catch {
    text = plainText(root);
    isPlain = true;
  }
  const ended = text === '' ? '' : `${text.toWellFormed()}\n`;
  Object.assign(globalThis, { captureSource: ended, captureCopy: undefined, captureElement: undefined });
  const part = ended.length > maxLength ? '' : (sourcePart(0, partLength) ?? '');
  return { length: ended.length, part, isFound, isPlain, isHidden };
}
