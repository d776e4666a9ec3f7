/** At-rules that have other rules inside, with the same meaning for their place. */
const GROUP = /^@(?:supports|layer|container|scope|starting-style)\b/i;
const MEDIA = /^@media\b/i;
/** Characters of a selector that repeats its parents. */
const LONGEST_SELECTOR = 5_000;
/** Selectors that a rule with a list in a list may become. */
const MOST_SELECTORS = 1_000;
const MOST_LEVELS = 20;
/** What has meaning between two rules: strings, comments and brackets hide it. */
const TOKEN = /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\\[\s\S]|[(){};]/g;

/** A declaration, or a rule with its block. */
interface Item {
  readonly text: string;
  /** Undefined for a declaration, and for an at-rule without a block. */
  readonly block?: string;
}

/** Writes nested rules one after the other, as browsers read them: the library that lays books out knows none. */
export function flattenRules(text: string): string {
  return flatten(text, undefined, 0);
}

/** @param parents selectors of the rule around; undefined at the top */
function flatten(text: string, parents: readonly string[] | undefined, level: number): string {
  const written: string[] = [];
  let declarations: string[] = [];
  const end = (): void => {
    if (parents !== undefined && declarations.length > 0)
      written.push(`${parents.join(',')}{${declarations.join(';')}}`);
    declarations = [];
  };
  for (const { text: head, block } of itemsOf(text)) {
    if (block === undefined) {
      if (parents !== undefined && !head.startsWith('@')) declarations.push(head);
      else written.push(`${head};`);
      continue;
    }
    end();
    const isDeep = level >= MOST_LEVELS;
    if (MEDIA.test(head)) {
      // The library knows few queries. The page has the media and the size of its paper.
      if (matchMedia(head.slice('@media'.length)).matches) written.push(flatten(block, parents, level + 1));
    } else if (isDeep || (head.startsWith('@') && !GROUP.test(head))) written.push(`${head}{${block}}`);
    else if (head.startsWith('@')) written.push(`${head}{${flatten(block, parents, level + 1)}}`);
    else written.push(flatten(block, selectorsOf(head, parents), level + 1));
  }
  end();
  return written.join('\n');
}

/** Returns the items of a block in their order, without comments. */
function itemsOf(text: string): readonly Item[] {
  const items: Item[] = [];
  let [head, from, depth, brackets] = ['', 0, 0, 0];
  let blockAt = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('/*') && depth === 0) {
      head += text.slice(from, index);
      from = index + token.length;
    } else if (token === '(' || token === ')') brackets = Math.max(0, brackets + (token === '(' ? 1 : -1));
    else if (token === '{') {
      if (depth === 0) {
        head += text.slice(from, index);
        blockAt = index + 1;
      }
      depth++;
      brackets = 0;
    } else if (token === '}' && depth > 0) {
      depth--;
      if (depth > 0) continue;
      items.push({ text: head.trim(), block: text.slice(blockAt, index) });
      [head, from] = ['', index + 1];
    } else if (token === ';' && depth === 0 && brackets === 0) {
      head = (head + text.slice(from, index)).trim();
      if (head !== '') items.push({ text: head });
      [head, from] = ['', index + 1];
    }
  }
  // Browsers close what is open at the end.
  if (depth > 0) items.push({ text: head.trim(), block: text.slice(blockAt) });
  const rest = (head + text.slice(from)).trim();
  if (depth === 0 && rest !== '') items.push({ text: rest });
  return items;
}

function selectorsOf(head: string, parents: readonly string[] | undefined): readonly string[] {
  const own = splitList(head);
  if (parents === undefined) return own;
  const around = parents.length * own.length > MOST_SELECTORS ? [`:is(${parents.join(',')})`] : parents;
  return own.flatMap((selector) =>
    around.map((parent) => {
      const isLong = parent.length * selector.split('&').length > LONGEST_SELECTOR;
      if (isLong) return `:not(*)`; // matches nothing
      return selector.includes('&') ? selector.replaceAll('&', parent) : `${parent} ${selector}`;
    }),
  );
}

/** Divides a list of selectors at its commas outside of brackets. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/[()[\],]/g)) {
    if (token === '(' || token === '[') depth++;
    else if (token === ')' || token === ']') depth--;
    else if (depth === 0) {
      parts.push(text.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== '');
}
