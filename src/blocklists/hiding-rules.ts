const DECLARATIONS = / \{ [^{}]* \}$/;

/**
 * A rule for each selector, of a style sheet in which a thousand selectors share one: of those, the browser would drop all for one
 * that it does not understand. A selector is never of two lines, as it was one line of a list.
 */
export function oneRuleEach(styles: string): string {
  let declarations = '';
  const lines = styles.split('\n').filter((line) => line !== '');
  const apart = lines.toReversed().map((line) => {
    const own = DECLARATIONS.exec(line);
    if (own === null) return line.replace(/,$/, declarations);
    [declarations] = own;
    return line;
  });
  return apart.toReversed().join('\n');
}
