import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What runs the garbage collector now. V8 leaves up to 64 MB of bodies that nobody holds where they are, as it does not count them
 * to its heap, and the process keeps what it once had. Node has no other way to ask for it than this flag.
 */
export function createGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node has no garbage collector that can be called');
  return () => {
    Reflect.apply(collect, undefined, []);
  };
}
