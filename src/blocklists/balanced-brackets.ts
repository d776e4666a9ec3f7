const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/**
 * True if brackets and quotes balance. Otherwise the rule could swallow later rules. Braces never occur in a selector
 * or in declarations.
 */
export function hasBalancedBrackets(text: string): boolean {
  const open: (string | undefined)[] = [];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') at++;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character in CLOSING) open.push(CLOSING[character]);
    else if (character === ')' || character === ']') {
      if (open.pop() !== character) return false;
    } else if (character === '{' || character === '}' || text.startsWith('/*', at)) return false;
  }
  return open.length === 0 && quote === undefined && !text.endsWith('\\');
}
