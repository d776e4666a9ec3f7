import { chosenElements } from '../../../core/steps/in-page/chosen-elements.ts';
import { keepSource, type SourceBounds, type SourcePart } from '../../../core/steps/in-page/source-part.ts';
import type { Pictures } from './element-copier.ts';
import { tidyFootnotes } from './footnotes.ts';
import { removeAnchors } from './main-content/furniture.ts';
import { tidyLists } from './conversion/list-rules.ts';
import { mainContent, type ReadabilityClass } from './main-content/main-content.ts';
import { plainText } from './plain-text.ts';
import { tidyTables } from './conversion/tidy-tables.ts';
import { toMarkdown } from './conversion/to-markdown.ts';
import type { TurndownClass } from './conversion/turndown.ts';
import { visibleCopy } from './visible-copy.ts';
import { seenCopy } from './visibility/seen-copy.ts';

/** The conversion packages. */
interface Converters {
  readonly Readability: ReadabilityClass;
  readonly TurndownService: TurndownClass;
}

interface MarkdownRequest extends SourceBounds {
  /** True for the chosen elements, false for the page. */
  readonly isElement: boolean;
  readonly isMainContent: boolean;
  /** True for the text that a person can see only. */
  readonly isVisible: boolean;
  readonly pictures: Pictures;
}

export interface PageMarkdown extends SourcePart {
  /** False if the main content was not found. */
  readonly isFound: boolean;
  /** True if the main content has lost much of the text around it. */
  readonly isReduced: boolean;
  /** True if the result is plain text. */
  readonly isPlain: boolean;
  /** True if texts were left out because a person can't see them. */
  readonly isHidden: boolean;
}

/**
 * Returns markdown of the page, its main content or the chosen elements, or the beginning of it. Null if they were
 * removed with their document. Works on a copy and leaves the page unchanged. Runs in the page.
 */
export function pageMarkdown(
  { Readability, TurndownService }: Converters,
  { isElement, isMainContent, isVisible, pictures, ...bounds }: MarkdownRequest,
): PageMarkdown | null {
  const start = isElement ? chosenElements() : null;
  if (start === undefined) return null;
  const { copy, visibility } = isVisible
    ? seenCopy(start, pictures)
    : { copy: visibleCopy(start, { pictures }), visibility: undefined };
  Object.assign(globalThis, { captureCopy: copy.body }); // for `keptText`, if the rest takes too long
  removeAnchors(copy.body);
  const isHidden = visibility !== undefined && visibility.count() > 0;
  const whole = copy.importNode(copy.body, true); // Readability consumes the copy
  Object.assign(globalThis, { captureCopy: whole });

  let root: Element = whole;
  let title = '';
  let isFound = true;
  let isReduced = false;
  if (!isElement && isMainContent) {
    try {
      const found = mainContent(copy, whole, Readability);
      isFound = found !== undefined;
      if (found !== undefined) ({ title, content: root, isReduced } = found);
    } catch {
      isFound = false; // the page is too deep or too large for Readability
    }
  }

  let text: string;
  let isPlain = false;
  try {
    tidyFootnotes(root);
    tidyTables(root);
    tidyLists(root);
    const heading = copy.createElement('h1');
    heading.append(title);
    root.prepend(heading);
    text = toMarkdown(root, TurndownService);
  } catch {
    text = plainText(root);
    isPlain = true;
  }
  const ended = text === '' ? '' : `${text.toWellFormed()}\n`;
  Object.assign(globalThis, { captureCopy: undefined, captureElements: undefined });
  return { ...keepSource(ended, bounds), isFound, isReduced, isPlain, isHidden };
}

/**
 * Returns the text of the copy that `pageMarkdown` did not finish, or its beginning. Null if there is none. Runs in the
 * page.
 */
export function keptText(bounds: SourceBounds): SourcePart | null {
  const copy: unknown = Reflect.get(globalThis, 'captureCopy');
  if (!(copy instanceof Element)) return null;
  Object.assign(globalThis, { captureCopy: undefined });
  return keepSource(`${plainText(copy).toWellFormed()}\n`, bounds);
}
