/**
 * Tells whether the page has changed since `watchChanges`, and stops watching. A new document counts as a change. Runs
 * in the page.
 */
export function haveChanged(): boolean {
  const changes: unknown = Reflect.get(globalThis, 'captureChanges');
  Object.assign(globalThis, { captureChanges: undefined, captureOwnChange: undefined });
  return typeof changes !== 'function' || changes() === true;
}
