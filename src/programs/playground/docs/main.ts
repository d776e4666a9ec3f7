import { byId, make } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';
import { constantChapter, fieldChapters, routeChapters, schemaChapters } from './chapters.ts';
import type { OpenApi } from './open-api.ts';
import type { Chapter } from './chapter-parts.ts';

/** Builds the page of the reference from the OpenAPI document. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const openApi: OpenApi & Parameters<typeof parseReference>[0] = await answer.json();
  const reference = parseReference(openApi);
  showHead('Reference', reference);
  const { schemas, headers } = openApi.components;
  const parts: readonly (readonly [title: string, id: string, chapters: readonly Chapter[]])[] = [
    ['Fields', 'fields', fieldChapters(reference)],
    ['Routes', 'routes', routeChapters(openApi)],
    ['Objects', 'objects', schemaChapters(openApi)],
    [
      'Messages',
      'messages',
      [
        constantChapter('errors', 'Errors', schemas.ErrorType.oneOf),
        constantChapter('warnings', 'Warnings', headers['X-Capture-Warnings'].schema.items.oneOf),
      ],
    ],
  ];

  const filter = make('input', { type: 'search', placeholder: 'Find a field', 'aria-label': 'Find a field' });
  const chapters = byId('chapters', HTMLElement);
  byId('contents', HTMLElement).append(
    filter,
    ...parts.map(([title, id, each]) =>
      make(
        'div',
        {},
        make('a', { class: 'part', href: `#${id}` }, title),
        make('ul', {}, ...each.map((chapter) => make('li', {}, make('a', { href: `#${chapter.id}` }, chapter.title)))),
      ),
    ),
  );
  for (const [title, id, each] of parts)
    chapters.append(make('p', { class: 'part-title', id }, title), ...each.map(({ element }) => element));
  filter.addEventListener('input', () => showMatches(chapters, filter.value));
  showNamed();
  document.documentElement.dataset['ready'] = 'true';
}

/** Shows the entries that contain all words, and the chapters that have any of them. */
function showMatches(chapters: HTMLElement, text: string): void {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  for (const chapter of chapters.querySelectorAll<HTMLElement>('.chapter')) {
    const entries = [...chapter.querySelectorAll<HTMLElement>('.entry')];
    for (const entry of entries) entry.hidden = !words.every((word) => (entry.dataset['words'] ?? '').includes(word));
    chapter.hidden = words.length > 0 && entries.every((entry) => entry.hidden);
  }
}

/** Scrolls to an error or warning (`?about=`), or to a part of the page, which did not exist when the page loaded. */
function showNamed(): void {
  const about = new URLSearchParams(location.search).get('about');
  const named = document.getElementById(about ?? decodeURIComponent(location.hash.slice(1)));
  if (named === null) return;
  if (about !== null) named.classList.add('is-named');
  named.scrollIntoView({ block: about === null ? 'start' : 'center' });
}

await main();
