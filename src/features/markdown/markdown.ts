import { DocumentReplacedError, ScriptEndedError } from '../../core/browser/browser-errors.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { chooseVisible } from '../../core/steps/common/element.ts';
import type { WarningCode } from '../../core/steps/common/step.ts';
import { keptText, type PageMarkdown, pageMarkdown } from './in-page/page-markdown.ts';
import { judgeVisibility } from './judge-visibility.ts';
import type { Format, RenderOptions } from '../../core/capture/formats/format.ts';
import type { MarkdownOptions } from './markdown-fields.ts';
import { PART_LENGTH, readSource } from '../../core/capture/formats/read-source.ts';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

interface MarkdownRequest {
  readonly isElement: boolean;
  readonly isMainContent: boolean;
  readonly isVisible: boolean;
  readonly pictures: 'keep' | 'alt' | 'none';
  readonly maxLength: number;
  readonly partLength: number;
}

/**
 * Markdown of the page. Converted in the page by well-known packages, on a copy in an isolated world that scripts of
 * the page can't reach. Only the text is sent to the service.
 */
export function markdown(): Format<RenderOptions & MarkdownOptions> {
  return {
    mimeType: 'text/markdown; charset=utf-8',
    extension: 'md',
    isPainted: false,
    showsWholePage: true,
    headers: {},
    check: () => undefined,
    checkLoaded: async () => undefined,
    render: async (page, options, { maxResultBytes }) => {
      const { selector, selector_all } = options;
      const { main_content: isMainContent, visible_text: isVisible, markdown_images: pictures } = options;
      const expression = await readConverters();
      if (selector !== undefined) await chooseVisible(page, { selector, selector_all });
      if (isVisible) await judgeVisibility(page, options);
      const made = await convert(page, expression, {
        isElement: selector !== undefined,
        isMainContent,
        isVisible,
        pictures,
        maxLength: maxResultBytes,
        partLength: PART_LENGTH,
      });
      return { body: await readSource(page, made, maxResultBytes), warnings: warningsOf(made) };
    },
  };
}

/**
 * Converts the page. If that takes too long, returns plain text.
 * @throws ServiceError TimeoutError if plain text takes too long as well
 */
async function convert(page: Page, expression: string, request: MarkdownRequest): Promise<PageMarkdown> {
  const limitMs = LIMIT_MS.convert;
  try {
    const made = await page.evaluateWith({ expression, limitMs }, pageMarkdown, { ...request });
    if (made === null) throw new DocumentReplacedError('the element was removed');
    return made;
  } catch (error) {
    if (!(error instanceof ScriptEndedError)) throw error;
    const text = await page.evaluateWith({ expression: JSON.stringify(request), limitMs }, keptText);
    if (text === null) throw tooLong(error);
    return { ...text, isFound: true, isReduced: false, isPlain: true, isHidden: false };
  }
}

function tooLong(cause: Error): ServiceError {
  return new ServiceError('TimeoutError', 'The page is too large for markdown', {
    details: `the service could not read it within ${LIMIT_MS.convert} ms`,
    cause,
  });
}

function warningsOf({ isFound, isReduced, isPlain, isHidden }: PageMarkdown): readonly WarningCode[] {
  return [
    ...(isFound ? [] : (['main_content_not_found'] as const)),
    ...(isReduced ? (['main_content_reduced'] as const) : []),
    ...(isPlain ? (['markdown_is_plain'] as const) : []),
    ...(isHidden ? (['hidden_text_removed'] as const) : []),
  ];
}

let reading: Promise<string> | undefined; // cached like a module: constant

/**
 * Returns Readability and Turndown as one expression for the page, loaded on first use. They get no window and no
 * document: they need neither, and their feature tests violate the security policy of some pages, which report it.
 */
export function readConverters(): Promise<string> {
  reading ??= readFiles().catch((error: unknown) => {
    reading = undefined; // too many open files: a temporary error
    throw error;
  });
  return reading;
}

async function readFiles(): Promise<string> {
  const [readability, turndown] = await Promise.all(
    [import.meta.resolve('@mozilla/readability/Readability.js'), import.meta.resolve('turndown/dist/turndown.js')].map(
      (address) => readFile(fileURLToPath(address), 'utf8'),
    ),
  );
  return `(() => {
const window = undefined, document = undefined, module = undefined;
${readability}
;${turndown}
;return { Readability, TurndownService };
})()`;
}
