/** Writes the number of each item into it, because the rest of a list goes on in another list on the next page. */
export function numberItems(body: Element): void {
  for (const list of Array.from(body.querySelectorAll('ol'))) {
    const items = Array.from(list.children).filter((child) => child instanceof HTMLLIElement);
    const step = list.reversed ? -1 : 1;
    let number = list.hasAttribute('start') ? list.start : list.reversed ? items.length : 1;
    for (const item of items) {
      if (item.hasAttribute('value')) number = item.value;
      else item.value = number;
      number += step;
    }
  }
}
