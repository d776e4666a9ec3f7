/**
 * Makes WebGL canvases keep their drawing after the frame that shows it. Chrome prints other WebGL canvases blank
 * (Chromium 153). Runs in each document before its scripts. Uses a proxy, which looks like a native function.
 */
export function keepDrawings(): void {
  const { prototype } = HTMLCanvasElement;
  const native: (...given: never) => unknown = Reflect.get(prototype, 'getContext');
  const keeping = new Proxy(native, {
    apply: (getContext, canvas: unknown, given: unknown[]): unknown => {
      const [type, attributes, ...more] = given;
      const isDrawing = type === 'webgl' || type === 'webgl2' || type === 'experimental-webgl';
      if (!isDrawing) return Reflect.apply(getContext, canvas, given);
      const kept = Object.create(typeof attributes === 'object' ? attributes : null, {
        preserveDrawingBuffer: { value: true },
      });
      return Reflect.apply(getContext, canvas, [type, kept, ...more]);
    },
  });
  Reflect.set(prototype, 'getContext', keeping);
}
