import { announceOwnChange, attribute, first, isNamed, read, setAttribute } from '../../../steps/in-page/nodes.ts';
import { documentInside, everywhere } from '../../../steps/in-page/roots-of.ts';

/** Names of attributes: `drawn` gets the picture of a canvas, `sources` the `srcset` of a picture. */
interface KeptAttributes {
  readonly drawn: string;
  readonly sources: string;
  /** Replaces `hidden`: Chrome saves no element with it, but styles can show and count such elements. */
  readonly hidden: string;
  /** Numbers frames without an address, and the roots of the documents in them. */
  readonly written: string;
}

/**
 * Writes into the markup what a copy of it would lack. `poster` gets the frame that a video shows, and fields get their
 * contents. Removes `style` attributes that the policy of the page has refused. Runs in the page.
 */
export function keepState({ drawn, sources, hidden, written }: KeptAttributes, mostPixels: number): void {
  announceOwnChange();
  let left = mostPixels;
  /** Sets an attribute to a picture, unless its size is too much, or it has pictures of another origin. */
  const keep = (
    element: Element,
    name: string,
    [width, height]: readonly number[],
    draw: () => HTMLCanvasElement,
  ): void => {
    left -= (width ?? 0) * (height ?? 0);
    if (left < 0) return;
    try {
      setAttribute(element, name, HTMLCanvasElement.prototype.toDataURL.call(draw()));
    } catch {
      // it may not be read
    }
  };
  for (const canvas of everywhere<HTMLCanvasElement>('canvas')) keep(canvas, drawn, sizeOfCanvas(canvas), () => canvas);
  for (const video of everywhere<HTMLVideoElement>('video')) {
    const size = ['videoWidth', 'videoHeight'].map((name) =>
      Number(Reflect.get(HTMLVideoElement.prototype, name, video)),
    );
    if (
      Math.min(...size) > 0 &&
      read(HTMLMediaElement.prototype, video, 'readyState') >= HTMLMediaElement.HAVE_CURRENT_DATA
    )
      keep(video, 'poster', size, () => frameOfVideo(video, size));
  }
  for (const field of everywhere('input, textarea, option')) keepField(field);
  for (const picture of everywhere('img[srcset]')) setAttribute(picture, sources, attribute(picture, 'srcset') ?? '');
  for (const styled of everywhere<HTMLElement>('[style]'))
    if (styled.style.length === 0) Element.prototype.removeAttribute.call(styled, 'style');
  let frames = 0;
  for (const frame of everywhere('iframe:not([src]):not([srcdoc])')) {
    const root = first(documentInside(frame) ?? frame, ':root');
    if (root === null) continue;
    for (const element of [frame, root]) setAttribute(element, written, String(frames));
    frames++;
  }
  for (const element of everywhere('[hidden]')) {
    setAttribute(element, hidden, attribute(element, 'hidden') ?? '');
    Element.prototype.removeAttribute.call(element, 'hidden');
  }
}

function sizeOfCanvas(canvas: HTMLCanvasElement): readonly number[] {
  return [read(HTMLCanvasElement.prototype, canvas, 'width'), read(HTMLCanvasElement.prototype, canvas, 'height')];
}

function frameOfVideo(video: HTMLVideoElement, [width = 0, height = 0]: readonly number[]): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return canvas;
}

function keepField(field: Element): void {
  if (isNamed(field, 'textarea')) {
    const value = read(HTMLTextAreaElement.prototype, field, 'value');
    if (value !== read(Node.prototype, field, 'textContent')) field.textContent = value;
  } else if (isNamed(field, 'option')) {
    toggle(field, 'selected', read(HTMLOptionElement.prototype, field, 'selected'));
  } else if (isNamed(field, 'input')) {
    const type = read(HTMLInputElement.prototype, field, 'type');
    if (type === 'checkbox' || type === 'radio')
      toggle(field, 'checked', read(HTMLInputElement.prototype, field, 'checked'));
    else if (type !== 'password' && type !== 'file' && type !== 'hidden')
      setAttribute(field, 'value', read(HTMLInputElement.prototype, field, 'value'));
  }
}

function toggle(element: Element, name: string, isOn: boolean): void {
  if (isOn) setAttribute(element, name, '');
  else Element.prototype.removeAttribute.call(element, name);
}
