// Wraps functions of the browser. To the page, wrappers look like the native functions: by text, name and errors.

export type Native = (...args: never) => unknown;

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const captureStackTrace = Error.captureStackTrace.bind(Error);

let natives = new WeakMap<object, object>();
let nativeOf = natives.get.bind(natives);
let setNative = natives.set.bind(natives);

/** Uses the natives that the frames of one origin share. Call it before anything is wrapped. */
export function rememberNatives(shared: WeakMap<object, object>): void {
  natives = shared;
  nativeOf = natives.get.bind(natives);
  setNative = natives.set.bind(natives);
}

/** Wraps a function of an object. */
export function wrap(target: object, name: string, wrapperOf: (name: string, native: Native) => object): void {
  const descriptor = getOwnPropertyDescriptor(target, name);
  if (typeof descriptor?.value !== 'function') return;
  const wrapper = wrapperOf(name, descriptor.value);
  setNative(wrapper, descriptor.value);
  defineProperty(target, name, { ...descriptor, value: wrapper });
}

/** Wraps a property that is computed. */
export function wrapGetter(target: object, name: string, wrapperOf: (native: Native) => object): void {
  const descriptor = getOwnPropertyDescriptor(target, name);
  if (descriptor?.get === undefined) return;
  const wrapper = getOwnPropertyDescriptor(wrapperOf(descriptor.get), name)?.get;
  if (wrapper === undefined) return;
  setNative(wrapper, descriptor.get);
  defineProperty(target, name, { ...descriptor, get: wrapper });
}

/** Wrapper of `Function.prototype.toString`. */
export function textWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: object): unknown {
      return callNative(native, nativeOf(this) ?? this, [], wrapper);
    },
  }[name];
  return wrapper ?? native;
}

/** Removes the wrapper from the stack of errors that the native function throws. */
export function callNative(native: Native, receiver: unknown, args: ArrayLike<unknown>, wrapper?: Native): unknown {
  try {
    return apply(native, receiver, args);
  } catch (error) {
    captureStackTrace(Object(error), wrapper);
    throw error;
  }
}
