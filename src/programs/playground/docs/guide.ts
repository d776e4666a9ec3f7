import { byId, make } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';

/** A section of a guide. `scripts/guides/` makes the list. */
interface Section {
  readonly guide: string;
  readonly title: string;
  readonly heading: string;
  /** Id of the heading. */
  readonly id: string;
  readonly text: string;
}

const MOST_FOUND = 20;

/** Shows the sections that contain all words in place of the list of guides. */
function createSearch(): void {
  const [search, found, guides] = [
    byId('guide-search', HTMLInputElement),
    byId('guide-found', HTMLElement),
    byId('guide-list', HTMLElement),
  ];
  let sections: Promise<readonly Section[]> | undefined;
  const show = async (): Promise<void> => {
    sections ??= fetch(serviceUrl('playground/guides/search.json')).then((answer) => answer.json());
    const all = await sections;
    const words = search.value
      .toLowerCase()
      .split(/[\s"'`]+/)
      .filter(Boolean);
    found.hidden = words.length === 0;
    guides.hidden = !found.hidden;
    const matches = all.filter((section) => words.every((word) => wordsOf(section).includes(word)));
    const links = inHeadingsFirst(matches, words).slice(0, MOST_FOUND).map(linkTo);
    found.replaceChildren(
      ...(links.length > 0 ? links : [make('li', { class: 'hint' }, 'No section has these words.')]),
    );
  };
  search.addEventListener('input', () => void show());
}

function wordsOf({ title, heading, text }: Section): string {
  return `${title} ${heading} ${text}`.toLowerCase();
}

function inHeadingsFirst(sections: readonly Section[], words: readonly string[]): readonly Section[] {
  const isNamed = ({ heading }: Section): boolean => words.some((word) => heading.toLowerCase().includes(word));
  return [...sections.filter(isNamed), ...sections.filter((section) => !isNamed(section))];
}

function linkTo({ guide, title, heading, id }: Section): HTMLElement {
  const words = title === heading ? title : `${title}: ${heading}`;
  return make('li', {}, make('a', { href: `guides/${guide}#${id}` }, words));
}

// Adds the links of the service's pages and the search to a guide. `scripts/guides/` makes the rest of the page.
const answer = await fetch(serviceUrl('openapi.json'));
showHead('Guides', parseReference(await answer.json()));
createSearch();
document.documentElement.dataset['ready'] = 'true';
