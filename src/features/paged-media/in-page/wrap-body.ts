/** Marks the box that stands for the body on each page. Style sheets name it in place of the children of the body. */
const MARK = 'data-book-body';

/**
 * Moves the content of the body into a box of its own, which has its direction of writing: the library lays pages out
 * from left to right.
 */
export function wrapBody(body: HTMLElement): DocumentFragment {
  const box = document.createElement('div');
  box.setAttribute(MARK, '');
  const { direction, writingMode } = getComputedStyle(body);
  box.dir = direction;
  box.style.writingMode = writingMode;
  box.append(...Array.from(body.childNodes));
  for (const element of [document.documentElement, body]) {
    element.removeAttribute('dir');
    element.style.setProperty('direction', 'ltr', 'important');
    element.style.setProperty('writing-mode', 'horizontal-tb', 'important');
  }
  const content = document.createDocumentFragment();
  content.append(box);
  return content;
}

/** Takes away what the library would take for its own marks. */
export function removeMarks(body: Element): void {
  for (const element of Array.from(
    body.querySelectorAll('[data-ref], [data-id], [data-split-from], [data-split-to], [class*="pagedjs_"]'),
  )) {
    for (const name of ['data-ref', 'data-id', 'data-split-from', 'data-split-to']) element.removeAttribute(name);
    for (const name of Array.from(element.classList)) if (name.startsWith('pagedjs_')) element.classList.remove(name);
  }
}

/** Gives elements whose id begins with a digit another one, with their links: the library can't find them. */
export function renameIds(body: Element): void {
  for (const element of Array.from(body.querySelectorAll('[id]')))
    if (/^-?\d/.test(element.id)) element.id = `id-${element.id}`;
  for (const link of Array.from(body.querySelectorAll('a[href^="#"]'))) {
    const target = (link.getAttribute('href') ?? '').slice(1);
    if (/^-?\d/.test(target)) link.setAttribute('href', `#id-${target}`);
  }
}
