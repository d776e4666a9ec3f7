import type { SourceBounds, SourcePart, ReadPart } from '../../../steps/in-page/source-part.ts';
import type { AddressResolver } from './address-resolver.ts';
import type { ElementCopier } from './element-copier.ts';
import type { FindMainContent, ReadabilityClass } from './main-content.ts';
import type { PlainText } from './plain-text.ts';
import type { TidyTables } from './tidy-tables.ts';
import type { ToMarkdown, TurndownClass } from './to-markdown.ts';
import type { VisibleCopy } from './visible-copy.ts';

/** The packages that convert. */
interface Converters {
  readonly Readability: ReadabilityClass;
  readonly TurndownService: TurndownClass;
}

interface Wanted extends SourceBounds {
  /** The element that `keepElement` has kept; otherwise the page. */
  readonly isElement: boolean;
  readonly isMainContent: boolean;
}

export interface PageMarkdown extends SourcePart {
  /** False where it was looked for and not found. */
  readonly isFound: boolean;
  /** True where it is the text alone. */
  readonly isPlain: boolean;
}

/**
 * The page, its main content or one element as markdown, or its beginning. Null when the element is gone, with the document that it was
 * in. The page is left as it is: all work is done on a copy. Runs in the page.
 */
export function pageMarkdown(
  { Readability, TurndownService }: Converters,
  { isElement: isOfElement, isMainContent, maxLength, partLength }: Wanted,
  elementCopier: ElementCopier,
  addressResolver: AddressResolver,
  visibleCopy: VisibleCopy,
  mainContent: FindMainContent,
  tidyTables: TidyTables,
  toMarkdown: ToMarkdown,
  plainText: PlainText,
  sourcePart: ReadPart,
): PageMarkdown | null {
  // One of a frame is no instance of this window's classes.
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'nodeType' in value;
  const start: unknown = isOfElement ? Reflect.get(globalThis, 'captureElement') : null;
  if (start !== null && !isElement(start)) return null;
  const copy = visibleCopy(start, elementCopier, addressResolver);
  const whole = copy.importNode(copy.body, true); // what looks for the main content takes the copy apart
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
      isFound = false; // so deep or large that it gives up
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
  return { length: ended.length, part, isFound, isPlain };
}
