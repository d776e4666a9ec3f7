import { rootElement, setAttribute, setStyles } from '../../../../steps/in-page/nodes.ts';

/** In CSS pixels: farther than any sheet is wide. */
const AWAY = 20_000;

/**
 * Writes a text across each sheet, over the content: fixed boxes are on all sheets. A turn in the third dimension, too
 * small to be seen, makes the browser draw the letters as paths. It then adds invisible letters for searching, where
 * they would be without the turn: outside of the sheet, where it drops them (Chromium 153). Runs in the page.
 */
export function addWatermark(text: string): void {
  const known: unknown = Reflect.get(globalThis, 'captureWatermark');
  const root = rootElement();
  if (known !== undefined || root === null) return;
  const [host, letters, shifted] = [newElement('div'), newElement('span'), newElement('span')];
  setAttribute(host, 'aria-hidden', 'true');
  setStyles(host, {
    all: 'initial',
    position: 'fixed',
    inset: '0',
    'z-index': '2147483647',
    display: 'grid',
    'place-items': 'center',
    overflow: 'hidden',
    'container-type': 'size',
    'pointer-events': 'none',
  });
  const share = Math.min(24, 160 / Math.max(Array.from(text).length, 1)); // of the shorter side, for one letter
  setStyles(letters, {
    font: `bold ${share}cqmin/1 sans-serif`,
    color: 'rgb(127 127 127 / 0.3)', // seen on white and on black
    'white-space': 'pre',
    transform: `perspective(99999px) rotate(-45deg) rotateX(0.1deg) translateX(${AWAY}px)`,
  });
  setStyles(shifted, { position: 'relative', left: `-${AWAY}px` });
  shifted.append(text);
  letters.append(shifted);
  host.attachShadow({ mode: 'closed' }).append(letters);
  root.append(host);
  Object.assign(globalThis, { captureWatermark: host });
}

function newElement(name: string): HTMLElement {
  return Document.prototype.createElement.call(document, name);
}
