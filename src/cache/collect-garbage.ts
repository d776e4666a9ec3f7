import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns a function that runs the garbage collector. V8 keeps up to 64 MB of unused bodies, because it does not count
 * them to its heap, and the process never returns that memory. This flag is the only way in Node.
 */
export function createGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node has no callable garbage collector');
  return () => void Reflect.apply(collect, undefined, []);
}
