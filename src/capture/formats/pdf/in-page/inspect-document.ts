import { attribute, bodyOf, computed, first, rootElement } from '../../../../steps/in-page/nodes.ts';
import { everywhere } from '../../../../steps/in-page/roots-of.ts';
import { mayNotFit } from './fit-content.ts';
import { type PageRules, readPageRules } from './page-rules.ts';

/** What a print needs to know about a page. */
export interface Inspected extends PageRules {
  /** True if the page overflows to the left. */
  readonly isRightToLeft: boolean;
  /** True if the page says its language. */
  readonly hasLanguage: boolean;
  /** True if the page has table rows. */
  readonly hasRows: boolean;
  /** True if a field or another element has the focus. */
  readonly hasFocus: boolean;
  /** True if the page may have content that does not fit on a sheet of this size. */
  readonly mayNotFit: boolean;
}

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
  return {
    ...readPageRules(maxRules),
    isRightToLeft: [root, bodyOf(document)].some((each) => each !== null && computed(each).direction === 'rtl'),
    hasLanguage: languages.some((language) => language !== null && language !== ''),
    hasRows: !everywhere('tr').next().done,
    hasFocus: first(document, ':focus') !== null,
    mayNotFit: mayNotFit(room, maxElements),
  };
}
