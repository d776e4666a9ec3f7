import { BLOCKS } from '../element-copier.ts';
import type { Turndown } from './turndown.ts';

/** Nodes beside a line break that are read, so that a million breaks in a row do not cost a million times a million. */
const MOST_READ = 50;

/** Adds the rule for line breaks: none at the edge of a block, and a new paragraph for an empty line. */
export function addBreakRule(service: Turndown): void {
  service.addRule('line break', {
    filter: 'br',
    replacement: (_content, node) => {
      const after = besides(node, 'nextSibling');
      if (after === 'edge' || besides(node, 'previousSibling') !== 'content') return '';
      return after === 'break' ? '\n\n' : '  \n';
    },
  });
}

/** Returns what stands beside a line break: content, another break before content, or the edge of its block. */
function besides(node: Element, direction: 'nextSibling' | 'previousSibling'): 'content' | 'break' | 'edge' {
  let found: 'content' | 'break' = 'content';
  let at: Node = node;
  for (let read = 0; read < MOST_READ; read++) {
    const sibling: ChildNode | null = at[direction];
    if (sibling === null) {
      const parent: Element | null = at.parentElement;
      if (parent === null || isBlock(parent)) return 'edge';
      at = parent;
      continue;
    }
    at = sibling;
    if (at instanceof Element && at.localName === 'br') found = 'break';
    else if (at instanceof Element && isBlock(at)) return 'edge';
    else if (!isEmpty(at)) return found;
  }
  return found;
}

function isBlock({ localName }: Element): boolean {
  return BLOCKS.has(localName) || localName === 'pre' || localName === 'hr' || localName === 'body';
}

function isEmpty(node: Node): boolean {
  if (node instanceof Element && (node.localName === 'img' || node.querySelector('img') !== null)) return false;
  return (node.textContent ?? '').trim() === '';
}
