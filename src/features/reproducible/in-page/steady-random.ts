import { type Native, wrap } from '../../../core/browser/page/in-page/wrap-native.ts';

const { apply } = Reflect;
const { imul } = Math;
/** Seed of the first random number of each page. Any number would do. */
const FIRST = 0x9e3779b9;
const [RANGE, BYTE] = [4_294_967_296, 256];

let state = FIRST;

/** Returns the next of a fixed series of 32-bit numbers, spread evenly (splitmix32). */
function nextNumber(): number {
  state = (state + FIRST) | 0;
  let mixed = state ^ (state >>> 16);
  mixed = imul(mixed, 0x21f0aaad);
  mixed ^= mixed >>> 15;
  mixed = imul(mixed, 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Gives the page the same random numbers each time. Keys that the browser generates itself still differ. */
export function steadyRandom(): void {
  wrap(Math, 'random', (name, native) => ({ [name]: () => nextNumber() / RANGE })[name] ?? native);
  const { Crypto } = Object(globalThis);
  wrap(Crypto.prototype, 'getRandomValues', valuesWrapper);
  wrap(Crypto.prototype, 'randomUUID', (name, native) => ({ [name]: () => nextId() })[name] ?? native);
}

function valuesWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, values: ArrayBufferView): unknown {
      apply(native, this, [values]); // refuses what it does not take
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      for (let at = 0; at < bytes.length; at++) bytes[at] = nextNumber() % BYTE;
      return values;
    },
  }[name];
  return wrapper ?? native;
}

/** A random UUID, of version 4. */
function nextId(): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const digit = nextNumber() % 16;
    return (place === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}
