/** Whether the page has changed since `watchChanges`, and the end of that. A document that has come since is another one. Runs in the page. */
export function haveChanged(): boolean {
  const changes: unknown = Reflect.get(globalThis, 'captureChanges');
  Object.assign(globalThis, { captureChanges: undefined, captureOwnChange: undefined });
  return typeof changes !== 'function' || changes() === true;
}
