import { read, sheetsOf } from '../../../core/steps/in-page/nodes.ts';

/** What one @page rule sets, as written. Empty texts: nothing. */
export interface PageRule {
  /** Pages of the rule, for example `:first`. Empty: all pages. */
  readonly selector: string;
  readonly size: string;
  readonly top: string;
  readonly right: string;
  readonly bottom: string;
  readonly left: string;
  readonly hasBackground: boolean;
}

/** The page's own @page rules. */
export interface PageRules {
  readonly rules: readonly PageRule[];
  /** False if there are more rules than were read, or style sheets of other origins, which can't be read. */
  readonly isWhole: boolean;
}

/** Maximum number of @page rules that are read, and length of their values: a page chooses both. */
const MOST_READ = 1_000;
const MOST_LENGTH = 100;

/** Returns the @page rules of the page in the order of the document. Runs in the page. */
export function readPageRules(maxRules: number): PageRules {
  const rules: PageRule[] = [];
  const isWhole = forEachPageRule(maxRules, (rule) => {
    if (rules.length > MOST_READ) return;
    const { selectorText, style } = rule;
    const valueOf = (name: string): string => style.getPropertyValue(name).slice(0, MOST_LENGTH);
    const margin = (side: string): string => valueOf(`margin-${side}`);
    rules.push({
      selector: selectorText.slice(0, MOST_LENGTH),
      size: valueOf('size'),
      top: margin('top'),
      right: margin('right'),
      bottom: margin('bottom'),
      left: margin('left'),
      hasBackground: hasBackground(rule),
    });
  });
  return { rules: rules.slice(0, MOST_READ), isWhole: isWhole && rules.length <= MOST_READ };
}

/**
 * Removes `!important` from the page's own @page rules, so that ours win: Chrome prefers the first such rule, and
 * `:first` over both (Chromium 153). Cross-origin style sheets can't be changed. Runs in the page.
 */
export function weakenPageRules(maxRules: number): void {
  forEachPageRule(maxRules, ({ style }) => {
    for (const name of Array.from(style)) {
      if (style.getPropertyPriority(name) !== '') style.setProperty(name, style.getPropertyValue(name));
    }
  });
}

/** Calls back for each @page rule for print. Returns false if it could not read all style sheets. */
export function forEachPageRule(maxRules: number, use: (rule: CSSPageRule) => void): boolean {
  let seen = 0;
  let isWhole = true;
  const walk = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (seen++ > maxRules) isWhole = false;
      if (!isWhole && seen > maxRules) return;
      if (rule instanceof CSSImportRule) walkSheet(rule.styleSheet);
      else if (rule instanceof CSSPageRule) use(rule);
      else if (rule instanceof CSSMediaRule && isForScreen(rule.media)) continue;
      else if (rule instanceof CSSGroupingRule) walk(rule.cssRules);
    }
  };
  const walkSheet = (sheet: CSSStyleSheet | null): void => {
    if (sheet === null || sheet.disabled || isForScreen(sheet.media)) return;
    try {
      walk(sheet.cssRules);
    } catch {
      isWhole = false; // cross-origin style sheet
    }
  };
  for (const sheet of [...read(Document.prototype, document, 'styleSheets'), ...sheetsOf(document)]) walkSheet(sheet);
  return isWhole;
}

/** True for a rule that sets a picture or gradient as background. */
export function hasBackground({ style }: CSSPageRule): boolean {
  return style.getPropertyValue('background-image').includes('(');
}

function isForScreen({ mediaText }: MediaList): boolean {
  return /\bscreen\b/.test(mediaText) && !/\bprint\b/.test(mediaText);
}
