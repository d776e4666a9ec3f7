import { all, attribute, first, read } from '../../../core/steps/in-page/nodes.ts';

/** Who wrote a page, and when, as the page writes it. Null if it does not say. */
export interface ArticleFacts {
  readonly author: string | null;
  readonly published: string | null;
  readonly modified: string | null;
}

/** `meta` elements of a fact. The first that the page has is taken. */
const METAS = {
  author: ['author', 'article:author', 'parsely-author', 'dc.creator', 'citation_author'],
  published: [
    'article:published_time',
    'datepublished',
    'parsely-pub-date',
    'date',
    'pubdate',
    'publish-date',
    'publishdate',
    'dc.date',
    'dc.date.issued',
    'dcterms.created',
    'citation_publication_date',
    'og:published_time',
  ],
  modified: ['article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'dcterms.modified'],
};
/** Elements of a fact. The first that the page has is taken. */
const ELEMENTS = {
  author: ['[itemprop~="author" i] [itemprop~="name" i]', '[itemprop~="author" i]', '[rel~="author" i]'],
  published: ['[itemprop~="datePublished" i]', 'time[pubdate]', 'article time[datetime]', 'main time[datetime]'],
  modified: ['[itemprop~="dateModified" i]'],
};
const NAMES = { author: 'author', published: 'datePublished', modified: 'dateModified' };
/** Nodes of JSON-LD that are read. */
const MOST_NODES = 200;
const MOST_METAS = 500;
const MOST_LENGTH = 200;

/** Returns the facts of meta elements, of JSON-LD, and of elements that name them. Runs in the page. */
export function articleFacts(jsonLd: readonly string[]): ArticleFacts {
  const metas = new Map<string, string>();
  for (const meta of all(document, 'meta[content]').slice(0, MOST_METAS)) {
    const name = (
      attribute(meta, 'property') ??
      attribute(meta, 'name') ??
      attribute(meta, 'itemprop') ??
      ''
    ).toLowerCase();
    const content = oneLine(attribute(meta, 'content') ?? '');
    if (content !== '' && !metas.has(name)) metas.set(name, content);
  }
  const nodes = jsonLd.flatMap(nodesOf).slice(0, MOST_NODES);
  const find = (fact: keyof ArticleFacts): string | null => {
    for (const name of METAS[fact]) {
      const text = metas.get(name);
      if (text !== undefined && !isAddress(text)) return text;
    }
    for (const node of nodes) {
      const text = textOf(Reflect.get(node, NAMES[fact]));
      if (text !== '') return text;
    }
    for (const selector of ELEMENTS[fact]) {
      const text = saidBy(first(document, selector));
      if (text !== '') return text;
    }
    return null;
  };
  return { author: find('author'), published: find('published'), modified: find('modified') };
}

/** A profile's address is no name. */
function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

function nodesOf(text: string): object[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const nodes = (Array.isArray(value) ? value : [value]).slice(0, MOST_NODES);
  return nodes.flatMap((node: unknown) => {
    if (typeof node !== 'object' || node === null) return [];
    const graph: unknown = Reflect.get(node, '@graph');
    const inner = Array.isArray(graph) ? graph.slice(0, MOST_NODES) : [];
    return [node, ...inner.filter((each: unknown): each is object => typeof each === 'object' && each !== null)];
  });
}

/** Returns a text, or the names of a person or of several. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return isAddress(value) ? '' : oneLine(value);
  if (Array.isArray(value))
    return value
      .slice(0, 10)
      .map(textOf)
      .filter((text) => text !== '')
      .join(', ');
  return typeof value === 'object' && value !== null ? textOf(Reflect.get(value, 'name')) : '';
}

function saidBy(element: Element | null): string {
  if (element === null) return '';
  const said = attribute(element, 'content') ?? attribute(element, 'datetime');
  return oneLine(said ?? (read(Node.prototype, element, 'textContent') ?? '').slice(0, MOST_LENGTH));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
