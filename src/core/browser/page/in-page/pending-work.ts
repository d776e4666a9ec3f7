import { callNative, type Native, wrap, wrapGetter } from './wrap-native.ts';

/** State that the frames of one origin share. */
interface Work {
  /** Pieces of work that have not ended. */
  work: number;
  /** Pieces of work that have begun. */
  begun: number;
}

const view = window;
const { apply, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
const then: Native = get(Promise.prototype, 'then');
const setTimer = view.setTimeout.bind(view);
const listen: Native = get(EventTarget.prototype, 'addEventListener');
const urlOf: Native | undefined = getOwnPropertyDescriptor(view.Response.prototype, 'url')?.get;

/** Methods that return promises, by the interface that has them. */
const PROMISING: readonly (readonly [owner: string, names: string])[] = [
  [
    'SubtleCrypto',
    'encrypt decrypt sign verify digest generateKey deriveKey deriveBits importKey exportKey wrapKey unwrapKey',
  ],
  ['BaseAudioContext', 'decodeAudioData'],
  ['OfflineAudioContext', 'startRendering'],
  ['Worklet', 'addModule'],
];
/** Time limit for the first message of a shared worker: it may never send one. */
const FIRST_MESSAGE_MS = 2_000;
const BODIES = 'arrayBuffer blob bytes json text';

/**
 * Counts work that a page awaits, and that no request, timer or frame shows: cryptography, databases, sound, worklets,
 * the first message of a shared worker, and bodies that the page has made itself.
 */
export function countWork(shared: Work): void {
  const end = (): void => {
    shared.work--;
  };
  const beginWork = (): void => {
    shared.work++;
    shared.begun++;
  };
  const untilSettled = (made: unknown): void => {
    beginWork();
    apply(then, made, [end, end]);
  };
  const untilEvent = (target: unknown, types: readonly string[]): (() => void) => {
    beginWork();
    let isOver = false;
    const once = (): void => {
      if (!isOver) end();
      isOver = true;
    };
    for (let k = 0; k < types.length; k++) apply(listen, target, [types[k], once]);
    return once;
  };
  for (const [owner, names] of PROMISING) follow(owner, names, untilSettled);
  follow('Response', BODIES, (made, response) => {
    if (urlOf !== undefined && apply(urlOf, response, []) === '') untilSettled(made);
  });
  follow('IDBFactory', 'open deleteDatabase', (request) => untilEvent(request, ['success', 'error', 'blocked']));
  follow('IDBDatabase', 'transaction', (transaction) => untilEvent(transaction, ['complete', 'error', 'abort']));
  followSharedWorkers((port) => void setTimer(untilEvent(port, ['message']), FIRST_MESSAGE_MS));
}

function followSharedWorkers(begin: (port: unknown) => void): void {
  const ports = new WeakSet<object>();
  const has = ports.has.bind(ports);
  const add = ports.add.bind(ports);
  const prototype: unknown = get(Object(get(view, 'SharedWorker')), 'prototype');
  if (typeof prototype !== 'object' || prototype === null) return;
  wrapGetter(prototype, 'port', (native) => ({
    get port(): unknown {
      const port = Object(callNative(native, this, []));
      if (!has(port)) begin(port);
      add(port);
      return port;
    },
  }));
}

function follow(owner: string, names: string, begin: (made: unknown, receiver: unknown) => void): void {
  const prototype: unknown = get(Object(get(view, owner)), 'prototype');
  if (typeof prototype !== 'object' || prototype === null) return;
  for (const name of names.split(' ')) wrap(prototype, name, following(begin));
}

function following(begin: (made: unknown, receiver: unknown) => void) {
  return (name: string, native: Native): object => {
    const wrapper = {
      [name](this: unknown, ..._given: unknown[]): unknown {
        const made = callNative(native, this, arguments, wrapper); // refuses other objects
        begin(made, this);
        return made;
      },
    }[name];
    if (wrapper === undefined) return native;
    const length: unknown = get(native, 'length');
    defineProperty(wrapper, 'length', { value: length, configurable: true });
    return wrapper;
  };
}
