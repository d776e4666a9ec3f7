/**
 * Lets the number of the pages go on from where it was set. The library starts another counter on such a page, which
 * ends with it (Chromium 153).
 */
export function countPages(): void {
  for (const page of Array.from(document.querySelectorAll('.pagedjs_page'))) {
    if (!(page instanceof HTMLElement)) continue;
    const [, number] = /\bpage (-?\d+)/.exec(getComputedStyle(page).counterReset) ?? [];
    if (number === undefined) continue;
    page.style.counterReset = 'none';
    page.style.counterIncrement = 'none';
    page.style.counterSet = `page ${number}`;
  }
}
