/** Returns the path of a field as errors name it, such as `actions[0].selector`. Numbers are positions in a list. */
export function fieldPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '');
}
