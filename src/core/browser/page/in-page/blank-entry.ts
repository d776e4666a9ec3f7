import { callNative, type Native, wrap, wrapGetter } from './wrap-native.ts';

const view = window;
const { apply } = Reflect;
const { max } = Math;

/** Hides the entry of the blank tab from the history: a page could go back to it, to a white picture. */
export function hideBlankEntry(): void {
  if (view.top !== view || view.location.href === 'about:blank') return;
  wrap(History.prototype, 'back', backWrapper);
  wrap(History.prototype, 'go', backWrapper);
  wrapGetter(History.prototype, 'length', (native) => ({
    get length(): number {
      return max(1, Number(apply(native, this, [])) - 1);
    },
  }));
}

function backWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, steps: number): unknown {
      const by = name === 'back' ? -1 : steps | 0;
      const isPast = by < 0 && (view.navigation.currentEntry?.index ?? 0) + by < 0; // also entries of other sites
      return isPast && this === view.history ? undefined : callNative(native, this, arguments, wrapper);
    },
  }[name];
  return wrapper ?? native;
}
