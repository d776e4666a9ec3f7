const DECLARATIONS = / \{ [^{}]* \}$/;

/**
 * Splits a style sheet whose thousand selectors share one rule into one rule per selector: the browser would drop the
 * whole rule for one invalid selector. Selectors have no line breaks, because each was one line of a list.
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
