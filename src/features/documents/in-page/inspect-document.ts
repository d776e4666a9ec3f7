import { attribute, bodyOf, computed, first, rootElement } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';
import { mayNotFit } from './fit-content.ts';
import { type PageRules, readPageRules } from './page-rules.ts';

/** What a print needs to know about a page. */
export interface Inspected extends PageRules {
  /** True if the page overflows to the left, beyond its paper. Vertical text goes on on the next sheet instead. */
  readonly isRightToLeft: boolean;
  /** True for vertical lines of text. */
  readonly isVertical: boolean;
  /** Direction of the body, if the root is written from right to left. */
  readonly bodyOfTurnedRoot: string | undefined;
  /** True if the page says its language. */
  readonly hasLanguage: boolean;
  /** True if the page has table rows. */
  readonly hasRows: boolean;
  /** True if a field or another element has the focus. */
  readonly hasFocus: boolean;
  /** What the page says of itself in its metadata. */
  readonly meta: Readonly<Record<'author' | 'description' | 'keywords', string | undefined>>;
  /** True if the page may have content that does not fit on a sheet of this size. */
  readonly mayNotFit: boolean;
}

/** Characters of a piece of metadata. */
const MOST_META = 1_000;

/** Inspects the page before its print. Runs in the page. */
export function inspectDocument(
  room: { readonly width: number; readonly height: number },
  { maxRules, maxElements }: { readonly maxRules: number; readonly maxElements: number },
): Inspected {
  const root = rootElement();
  const meta = first(document, 'meta[http-equiv="content-language" i]');
  const languages = [
    root && attribute(root, 'lang'),
    root && attribute(root, 'xml:lang'),
    meta && attribute(meta, 'content'),
  ];
  const styles = [root, bodyOf(document)].map((each) => each && computed(each));
  const directions = styles.map((style) => style?.direction ?? 'ltr');
  const isVertical = styles.some((style) => style !== null && !style.writingMode.startsWith('horizontal'));
  return {
    ...readPageRules(maxRules),
    isRightToLeft: directions.includes('rtl') && !isVertical,
    isVertical,
    bodyOfTurnedRoot: directions[0] === 'rtl' ? directions[1] : undefined,
    hasLanguage: languages.some((language) => language !== null && language !== ''),
    hasRows: !everywhere('tr').next().done,
    hasFocus: first(document, ':focus') !== null,
    meta: { author: metaOf('author'), description: metaOf('description'), keywords: metaOf('keywords') },
    mayNotFit: mayNotFit(room, maxElements),
  };
}

function metaOf(name: string): string | undefined {
  const meta = first(document, `meta[name="${name}" i][content]`);
  const content = meta === null ? '' : (attribute(meta, 'content') ?? '').trim();
  return content === '' ? undefined : content.slice(0, MOST_META).toWellFormed();
}
