/** Declarations that the library reads in style sheets alone. */
const PAGED =
  /^\s{0,99}(?:(?:page-)?break-(?:before|after|inside)|page|string-set|position(?=\s{0,9}:\s{0,9}running\()|float(?=\s{0,9}:\s{0,9}footnote))\s{0,9}:/i;
/** The library searches the document once per rule. */
const MOST_RULES = 100;

/**
 * Moves the declarations for paged media of `style` attributes into rules, which it returns as a style sheet. Elements
 * beyond the limit of rules keep theirs, and `isWhole` is false.
 */
export function moveInlineRules(body: Element): { readonly text: string; readonly isWhole: boolean } {
  const rules = new Map<string, number>();
  let isWhole = true;
  for (const element of Array.from(body.querySelectorAll<HTMLElement>('[style]'))) {
    const declared = (element.getAttribute('style') ?? '').split(';').filter((each) => PAGED.test(each));
    const rule = declared.join(';');
    if (rule === '' || /[{}]/.test(rule)) continue;
    if (!rules.has(rule) && rules.size === MOST_RULES) {
      isWhole = false;
      continue;
    }
    const name = rules.get(rule) ?? rules.size;
    rules.set(rule, name);
    element.setAttribute('data-book-style', String(name));
    for (const each of declared) element.style.removeProperty(each.slice(0, each.indexOf(':')).trim());
  }
  const text = Array.from(rules, ([rule, name]) => `[data-book-style="${name}"] { ${rule} }`).join('\n');
  return { text, isWhole };
}
