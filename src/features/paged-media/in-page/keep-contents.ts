const MOST_ELEMENTS = 100_000;

/**
 * Writes drawings of canvases, and what was typed or chosen in forms, into the markup: the sheets show copies of it.
 * Returns false if there is content that can't be copied: shadow trees, and frames that a script has written.
 */
export function keepContents(body: Element): boolean {
  let left = MOST_ELEMENTS;
  let isWhole = true;
  for (const element of Array.from(body.querySelectorAll('*'))) {
    if (left-- === 0) return false;
    if (element.shadowRoot !== null && (element.shadowRoot.textContent ?? '').trim() !== '') isWhole = false;
    if (element instanceof HTMLIFrameElement && isWritten(element)) isWhole = false;
    if (element instanceof HTMLCanvasElement && !keepDrawing(element)) isWhole = false;
    keepValue(element);
  }
  return isWhole;
}

function isWritten(frame: HTMLIFrameElement): boolean {
  const isLoaded = frame.hasAttribute('src') || frame.hasAttribute('srcdoc');
  try {
    return !isLoaded && (frame.contentDocument?.body.textContent ?? '').trim() !== '';
  } catch {
    return false; // of another site, which it loads again
  }
}

/** Replaces a canvas with a picture of it. Returns false if the page may not read the canvas. */
function keepDrawing(canvas: HTMLCanvasElement): boolean {
  try {
    const picture = document.createElement('img');
    for (const { name, value } of Array.from(canvas.attributes)) picture.setAttribute(name, value);
    picture.alt = canvas.getAttribute('aria-label') ?? '';
    const { width, height } = canvas.getBoundingClientRect();
    picture.src = canvas.toDataURL();
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    canvas.replaceWith(picture);
    return true;
  } catch {
    return false;
  }
}

function keepValue(element: Element): void {
  if (element instanceof HTMLInputElement) {
    element.toggleAttribute('checked', element.checked);
    if (!['file', 'password'].includes(element.type)) element.setAttribute('value', element.value);
  } else if (element instanceof HTMLTextAreaElement) element.textContent = element.value;
  else if (element instanceof HTMLOptionElement) element.toggleAttribute('selected', element.selected);
}
