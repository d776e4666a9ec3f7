import { byId, make } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';
import { createExamples } from './examples.ts';
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
  const examples = createExamples(reference);
  const parts: readonly (readonly [title: string, id: string, chapters: readonly Chapter[]])[] = [
    ['Fields', 'fields', fieldChapters(reference, examples)],
    ['Routes', 'routes', routeChapters(openApi, examples)],
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

  const filter = make('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the reference' });
  const chapters = byId('chapters', HTMLElement);
  byId('contents', HTMLElement).append(
    filter,
    examples.element,
    ...parts.map(([title, id, each]) =>
      make(
        'div',
        {},
        make('a', { class: 'part', href: `#${id}` }, title),
        make('ul', {}, ...each.map((chapter) => make('li', {}, make('a', { href: `#${chapter.id}` }, chapter.title)))),
      ),
    ),
  );
  chapters.append(make('p', { id: 'nothing-found', class: 'hint', hidden: true }, 'Nothing has these words.'));
  for (const [title, id, each] of parts)
    chapters.append(
      make('div', {}, make('p', { class: 'part-title', id }, title), ...each.map(({ element }) => element)),
    );
  filter.addEventListener('input', () => showMatches(chapters, filter.value));
  addEventListener('hashchange', () => {
    if (document.getElementById(location.hash.slice(1))?.checkVisibility() !== false) return;
    filter.value = ''; // the search has hidden what a link leads to
    showMatches(chapters, '');
    showNamed();
  });
  markChapters(chapters);
  showNamed();
  document.documentElement.dataset['ready'] = 'true';
}

/** Shows the entries that contain all words, and the chapters that have any of them or contain all words themselves. */
function showMatches(chapters: HTMLElement, text: string): void {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  for (const chapter of chapters.querySelectorAll<HTMLElement>('.chapter')) {
    const entries = [...chapter.querySelectorAll<HTMLElement>('.entry[data-words]')];
    for (const entry of entries) entry.hidden = !words.every((word) => (entry.dataset['words'] ?? '').includes(word));
    const own = (chapter.querySelector('.words')?.textContent ?? '').toLowerCase();
    const isNamed = words.every((word) => own.includes(word));
    if (isNamed && entries.every((entry) => entry.hidden)) for (const entry of entries) entry.hidden = false;
    chapter.hidden = !isNamed && entries.every((entry) => entry.hidden);
  }
  const none = byId('nothing-found', HTMLElement);
  for (const part of chapters.children)
    if (part instanceof HTMLElement && part.querySelector('.part-title') !== null)
      part.hidden = [...part.querySelectorAll<HTMLElement>('.chapter')].every((chapter) => chapter.hidden);
  none.hidden = [...chapters.querySelectorAll<HTMLElement>('.chapter')].some((chapter) => !chapter.hidden);
}

/** Marks the chapter that is read in the contents. */
function markChapters(chapters: HTMLElement): void {
  const links = new Map(
    [...document.querySelectorAll('#contents li a')].map((link) => [link.getAttribute('href'), link]),
  );
  const inView = new Set<Element>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) inView.add(target);
        else inView.delete(target);
      }
      const [first] = [...chapters.querySelectorAll('.chapter')].filter((chapter) => inView.has(chapter));
      for (const link of links.values()) link.removeAttribute('aria-current');
      links.get(`#${first?.getAttribute('aria-labelledby')}`)?.setAttribute('aria-current', 'true');
    },
    { rootMargin: '-10% 0px -75% 0px' },
  );
  for (const chapter of chapters.querySelectorAll('.chapter')) observer.observe(chapter);
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
