/**
 * Logs the messages of uncaught errors with a mark, because the browser keeps only their locations. Runs in the page's
 * own world, where these events are fired, before any script of the page. It stores the functions that it needs,
 * because a page can replace them. It reads nothing of the thrown value that runs code of the page: no getter, no
 * proxy, no `toString`.
 */
export function reportUncaught(mark: string): void {
  const { apply } = Reflect;
  const { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf, hasOwn } = Object;
  const asText = String; // used only for primitive values: runs no code of the page
  const { error: write } = console;
  // False for a proxy of an error. Missing in older browsers.
  const isError: unknown = Reflect.get(Error, 'isError');
  const read = (of: object, name: string): ((event: Event) => unknown) => {
    const getter: unknown = Reflect.get(descriptorOf(of, name) ?? {}, 'get');
    return typeof getter === 'function' ? (event) => apply(getter, event, []) : () => undefined;
  };
  const messageOf = read(ErrorEvent.prototype, 'message');
  const fileOf = read(ErrorEvent.prototype, 'filename');
  const lineOf = read(ErrorEvent.prototype, 'lineno');
  const columnOf = read(ErrorEvent.prototype, 'colno');
  const reasonOf = read(PromiseRejectionEvent.prototype, 'reason');
  const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map(
    ({ name, prototype }): { name: string; prototype: unknown } => ({ name, prototype }),
  );

  const report = (place: string, text: string): void => {
    apply(write, console, [`${mark}${place}\n${text}`]);
  };
  const ownText = (thrown: object, name: string): string | undefined => {
    const found = descriptorOf(thrown, name);
    if (found === undefined || !hasOwn(found, 'value')) return undefined; // an own getter, or an inherited one
    return typeof found.value === 'string' ? found.value : undefined;
  };
  const kindOf = (thrown: object): string => {
    const prototype: unknown = getPrototypeOf(thrown);
    // By index, because the page may have replaced the iterator.
    // eslint-disable-next-line unicorn/no-for-loop
    for (let at = 0; at < kinds.length; at++) {
      const kind = kinds[at];
      if (kind !== undefined && kind.prototype === prototype) return kind.name;
    }
    return 'Error';
  };
  const textOf = (thrown: unknown): string => {
    if (typeof thrown === 'symbol' || typeof thrown === 'function') return '';
    if (typeof thrown !== 'object' || thrown === null) return asText(thrown);
    if (typeof isError !== 'function' || apply(isError, undefined, [thrown]) !== true) return '';
    const name = ownText(thrown, 'name') ?? kindOf(thrown);
    const message = ownText(thrown, 'message') ?? '';
    return message === '' ? name : `${name}: ${message}`;
  };

  addEventListener('error', (event) => {
    try {
      const line = asText(lineOf(event));
      const column = asText(columnOf(event));
      const place = `${asText(fileOf(event))}:${line}:${column}`;
      report(place, asText(messageOf(event)));
    } catch {
      // An event of another type that the page has created.
    }
  });
  addEventListener('unhandledrejection', (event) => {
    try {
      report('', textOf(reasonOf(event)));
    } catch {
      // An event of another type that the page has created.
    }
  });
}
