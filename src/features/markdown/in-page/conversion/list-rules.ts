import type { Turndown } from './turndown.ts';

/** Adds the rules for lists, whose items keep their numbers. */
export function addListRules(service: Turndown): void {
  const positions = new WeakMap<Element, number>();
  /** Lists with other marks than those right before them: with the same, they would be one list. */
  const others = new WeakSet<Element>();
  service.addRule('item', {
    filter: 'li',
    replacement: (content, node) => {
      if (content.trim() === '') return '';
      const list = node.parentElement;
      if (list !== null && node === list.firstElementChild && followsList(list, others)) others.add(list);
      const isReversed = list?.hasAttribute('reversed') === true;
      const usual = isReversed ? list.children.length : 1;
      const position =
        list === null ? 1 : (numberIn(node, 'value') ?? positions.get(list) ?? numberIn(list, 'start') ?? usual);
      if (list !== null) positions.set(list, Math.max(position + (isReversed ? -1 : 1), 0));
      const isOther = list !== null && others.has(list);
      const prefix = list?.localName === 'ol' ? `${position}${isOther ? ')' : '.'} ` : isOther ? '* ' : '- ';
      const text = content
        .trim()
        .replace(/^(\[[x ]\])\s+/, '$1 ')
        .replaceAll(/\n(?!\n|$)/g, `\n${' '.repeat(prefix.length)}`);
      return `${/\n\n/.test(content.trim()) ? '\n\n' : '\n'}${prefix}${text}\n`;
    },
  });
  service.addRule('list', {
    filter: ['ul', 'ol'],
    replacement: (content, node) =>
      node.parentElement?.localName === 'li' ? `\n${content.replace(/^\n+/, '')}` : `\n\n${content}\n\n`,
  });
}

/** Moves lists that stand between the items of a list into the item before: they are shown as its sublists. */
export function tidyLists(root: Element): void {
  for (const list of root.querySelectorAll(':is(ul, ol) > :is(ul, ol)')) {
    const item = list.previousElementSibling;
    if (item?.localName !== 'li') list.replaceWith(...list.childNodes);
    else if (item.lastElementChild?.localName !== list.localName) item.append(list);
    else {
      item.lastElementChild.append(...list.childNodes);
      list.remove();
    }
  }
}

/** True if a list of the same kind with the usual marks stands right before this one. */
function followsList(list: Element, others: WeakSet<Element>): boolean {
  let before = list.previousSibling;
  while (before !== null && !(before instanceof Element) && (before.nodeValue ?? '').trim() === '')
    before = before.previousSibling;
  return before instanceof Element && before.localName === list.localName && !others.has(before);
}

function numberIn(element: Element, name: string): number | undefined {
  const number = Number.parseInt(element.getAttribute(name) ?? '', 10);
  return Number.isSafeInteger(number) && number >= 0 && number < 1e8 ? number : undefined;
}
