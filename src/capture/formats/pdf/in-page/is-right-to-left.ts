/** True if the page overflows to the left. Runs in the page. */
export function isRightToLeft(): boolean {
  return [document.querySelector(':root'), document.body].some(
    (element) => element !== null && getComputedStyle(element).direction === 'rtl',
  );
}
