import { all as allIn, attribute as attributeOf, first as firstIn, read } from '../../../core/steps/in-page/nodes.ts';
import { articleFacts } from './article-facts.ts';
import { addressResolver } from '../../markdown/in-page/address-resolver.ts';
import type { PartTaken } from './take-parts.ts';

export interface MetadataBounds {
  /** Maximum number of icons, of Open Graph properties, and of JSON-LD texts. */
  readonly maxEntries: number;
  /** Maximum characters of a text. */
  readonly maxTextLength: number;
  /** Maximum characters of all JSON-LD texts. */
  readonly maxJsonLength: number;
}

/** Properties of Open Graph that are addresses. */
const OG_ADDRESS = /^og:(?:url|(?:image|video|audio)(?::(?:secure_)?url)?)$/i;

/** Returns the metadata in the head of the page. Missing values are not guessed. Runs in the page. */
export function pageMetadata({ maxEntries, maxTextLength, maxJsonLength }: MetadataBounds): PartTaken {
  let cuts = 0;
  const cut = (text: string, length = maxTextLength): string => {
    if (text.length <= length) return text.toWellFormed();
    cuts++;
    return text.slice(0, length).toWellFormed();
  };
  const atMost = <T>(list: readonly T[]): readonly T[] => {
    if (list.length > maxEntries) cuts++;
    return list.slice(0, maxEntries);
  };
  const resolve = addressResolver(read(Node.prototype, document, 'baseURI'));
  const addressOf = (element: Element | null): string | null =>
    element === null ? null : (resolve(attribute(element, 'href'), { isPicture: true }) ?? null);

  const description = first('meta[name="description" i]');
  const root = first(':root');
  const language = root === null ? '' : attribute(root, 'lang').trim();
  const icons = atMost(all('link[rel~="icon" i], link[rel~="apple-touch-icon" i]')).flatMap((link) => {
    const url = addressOf(link);
    const sizes = cut(attribute(link, 'sizes'));
    const type = cut(attribute(link, 'type'));
    return url === null ? [] : [{ url, ...(sizes !== '' && { sizes }), ...(type !== '' && { type }) }];
  });
  const openGraph = new Map<string, string>();
  for (const meta of atMost(all('meta[property^="og:" i], meta[name^="og:" i]'))) {
    const property = attribute(meta, 'property') || attribute(meta, 'name');
    const content = attribute(meta, 'content');
    const address = OG_ADDRESS.test(property) ? resolve(content, { isPicture: true }) : undefined;
    if (!openGraph.has(property)) openGraph.set(cut(property), cut(address ?? content));
  }
  let left = maxJsonLength;
  const jsonLd = atMost(all('script[type^="application/ld+json" i]')).flatMap((script) => {
    const text = (read(Node.prototype, script, 'textContent') ?? '').trim();
    if (text.length > left) cuts++; // a part of a JSON text would not be valid JSON
    if (text.length > left || text === '') return [];
    left -= text.length;
    return [text.toWellFormed()];
  });

  const facts = articleFacts(jsonLd);
  const title = cut(read(Document.prototype, document, 'title'));
  return {
    value: {
      title: title === '' ? null : title,
      description: description === null ? null : cut(attribute(description, 'content').trim()),
      language: language === '' ? null : cut(language),
      author: facts.author === null ? null : cut(facts.author),
      published: facts.published === null ? null : cut(facts.published),
      modified: facts.modified === null ? null : cut(facts.modified),
      canonical: addressOf(first('link[rel~="canonical" i]')),
      icons,
      open_graph: Object.fromEntries(openGraph),
      json_ld: jsonLd,
      ...(cuts > 0 && { truncated: true }),
    },
  };
}

function attribute(element: Element, name: string): string {
  return attributeOf(element, name) ?? '';
}

function all(selector: string): readonly Element[] {
  return allIn(document, selector);
}

function first(selector: string): Element | null {
  return firstIn(document, selector);
}
