import { byId, make } from './dom.ts';
import type { Reference } from './reference.ts';
import { serviceUrl } from './send.ts';

type PageName = 'Playground' | 'Compare' | 'Jobs' | 'Watches' | 'Usage' | 'Reference' | 'Guides';

/** Adds the links of all pages that the service has to the head, and marks the present page. */
export function showHead(current: PageName, { jobStates, hasUsage }: Reference): void {
  const pages: readonly (readonly [name: PageName, path: string, isOn: boolean])[] = [
    ['Playground', '.', true],
    ['Compare', 'comparison', true],
    ['Jobs', 'queue', jobStates !== undefined],
    ['Watches', 'watches', jobStates !== undefined],
    ['Usage', 'usage', hasUsage],
    ['Reference', 'docs', true],
    ['Guides', 'guides/readme', true],
  ];
  const links = pages
    .filter(([, , isOn]) => isOn)
    .map(([name, path]) =>
      make('a', { class: 'quiet', href: serviceUrl(path), 'aria-current': name === current && 'page' }, name),
    );
  byId('links', HTMLElement).append(...links);
}
