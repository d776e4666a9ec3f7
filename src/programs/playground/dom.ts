type Child = Node | string | undefined;

/** `true` sets an attribute without a value; `false` and undefined omit it. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an element without parsing markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : `${value}`);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/**
 * Returns the element with this id.
 * @throws Error if there is none of that kind
 */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} with the id ${id}`);
}

/** A link to the explanation of an error type or a warning code on the page of the reference. */
export function explanationLink(name: string): HTMLElement {
  return make('a', { href: `docs?about=${encodeURIComponent(name)}`, target: '_blank', rel: 'noopener' }, name);
}

/** Converts text to nodes, with backticks as code. */
export function prose(text: string): Node[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? document.createTextNode(part) : make('code', {}, part)));
}
