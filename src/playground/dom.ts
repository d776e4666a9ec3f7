type Child = Node | string | undefined;

/** `true` sets an attribute without a value, `false` and undefined leave it out. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element, without any markup being parsed on the way. */
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
 * The element of the page with this id.
 * @throws Error when the page has none of that kind.
 */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} with the id ${id}`);
}

/** Text with what is between backticks as code. */
export function prose(text: string): Node[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? document.createTextNode(part) : make('code', {}, part)));
}
