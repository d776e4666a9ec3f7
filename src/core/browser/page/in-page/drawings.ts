import { callNative, type Native, wrap } from './wrap-native.ts';

/** What the frames of one origin share. */
interface Drawings {
  /** True to make WebGL canvases keep their drawing: Chrome prints others blank (Chromium 153). */
  readonly keepsDrawings: boolean;
}

/** Native functions and names to read from the canvas of a context. */
interface Reading {
  readonly getParameter: Native;
  readonly bindFramebuffer: Native;
  readonly bindBuffer: Native | undefined;
  readonly readPixels: Native;
  readonly target: number;
  readonly binding: number;
}

const view = window;
const { apply, get } = Reflect;
const { WeakRef, Uint8Array, WebGLRenderingContext: First, WebGL2RenderingContext: Second } = view;
const deref: Native = get(WeakRef.prototype, 'deref');
const TYPES: Readonly<Record<string, boolean | undefined>> = { webgl: true, webgl2: true, 'experimental-webgl': true };
const RGBA = First.RGBA;
const BYTES = First.UNSIGNED_BYTE;
const PACK = Second.PIXEL_PACK_BUFFER;
const PACK_BINDING = Second.PIXEL_PACK_BUFFER_BINDING;
const FIRST: Reading = {
  ...readingOf(First.prototype),
  bindBuffer: undefined, // it has no buffer to read into
  target: First.FRAMEBUFFER,
  binding: First.FRAMEBUFFER_BINDING,
};
const SECOND: Reading = {
  ...readingOf(Second.prototype),
  bindBuffer: get(Second.prototype, 'bindBuffer'),
  target: Second.READ_FRAMEBUFFER,
  binding: Second.READ_FRAMEBUFFER_BINDING,
};
const pixel = new Uint8Array(4);

interface Context {
  readonly gl: WeakRef<object>;
  readonly reading: Reading;
}

/** WebGL contexts of this window, at most as many as Chrome keeps alive. */
const contexts: Context[] = [];
const MOST_CONTEXTS = 16;
let oldest = 0;

function readingOf(prototype: object): Pick<Reading, 'getParameter' | 'bindFramebuffer' | 'readPixels'> {
  return {
    getParameter: get(prototype, 'getParameter'),
    bindFramebuffer: get(prototype, 'bindFramebuffer'),
    readPixels: get(prototype, 'readPixels'),
  };
}

/** Wraps `getContext` of canvases, to know their WebGL contexts. */
export function followDrawings(shared: Drawings): void {
  wrap(view.HTMLCanvasElement.prototype, 'getContext', (name, native) => {
    const wrapper = {
      [name](this: unknown, type: unknown): unknown {
        const isDrawing = typeof type === 'string' && TYPES[type] === true;
        const given = isDrawing && shared.keepsDrawings ? keeping(arguments) : arguments;
        const context = callNative(native, this, given, wrapper);
        if (isDrawing && typeof context === 'object' && context !== null)
          remember(context, type === 'webgl2' ? SECOND : FIRST);
        return context;
      },
    }[name];
    return wrapper ?? native;
  });
}

function keeping(given: IArguments): readonly unknown[] {
  const attributes: unknown = given[1];
  const inherited = typeof attributes === 'object' ? attributes : null;
  return [given[0], Object.create(inherited, { preserveDrawingBuffer: { value: true } })];
}

function remember(gl: object, reading: Reading): void {
  for (let k = 0; k < contexts.length; k++) if (apply(deref, contexts[k]?.gl, []) === gl) return;
  contexts[oldest] = { gl: new WeakRef(gl), reading };
  oldest = (oldest + 1) % MOST_CONTEXTS;
}

/**
 * Waits until all that this window has drawn with WebGL is painted. Otherwise the commands of many frames queue up.
 * Software rendering can take seconds for each frame, and all pages of the browser wait meanwhile.
 */
export function finishDrawings(): void {
  for (let k = 0; k < contexts.length; k++) {
    const context = contexts[k];
    const gl: unknown = apply(deref, context?.gl, []);
    if (context !== undefined && typeof gl === 'object' && gl !== null) finish(gl, context.reading);
  }
}

/** Reads a pixel of the canvas, for which Chrome waits: at `finish()` it does not. */
function finish(gl: object, { getParameter, bindFramebuffer, bindBuffer, readPixels, target, binding }: Reading): void {
  const bound = apply(getParameter, gl, [binding]);
  const packed = bindBuffer && apply(getParameter, gl, [PACK_BINDING]);
  if (bound) apply(bindFramebuffer, gl, [target, null]);
  if (bindBuffer && packed) apply(bindBuffer, gl, [PACK, null]);
  apply(readPixels, gl, [0, 0, 1, 1, RGBA, BYTES, pixel]);
  if (bound) apply(bindFramebuffer, gl, [target, bound]);
  if (bindBuffer && packed) apply(bindBuffer, gl, [PACK, packed]);
}
