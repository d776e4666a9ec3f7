/**
 * The markup without whatever runs or loads, balanced, so that it can be put into other markup; null for markup that unfolds to more
 * than the limits. Pictures as `data:` stay. Runs in the page, which sees nothing of it.
 */
export function neutralMarkup(
  markup: string,
  { maxElements, maxLength }: { readonly maxElements: number; readonly maxLength: number },
): string | null {
  const UNWANTED = new Set(
    'script noscript link meta base title template iframe frame frameset object embed applet portal fencedframe video audio source track animate animatetransform animatemotion set'.split(
      ' ',
    ),
  );
  const ADDRESSES = new Set(
    'src href xlink:href srcset imagesrcset poster background data action formaction ping manifest codebase classid archive profile cite longdesc'.split(
      ' ',
    ),
  );

  /** A page may forbid the parsers that are older than this one, for our world too (Trusted Types). */
  const parse = (): Document => {
    const parseHTML: unknown = Reflect.get(Document, 'parseHTML');
    if (typeof parseHTML !== 'function') return new DOMParser().parseFromString(markup, 'text/html');
    const parsed: unknown = parseHTML.call(Document, markup, { sanitizer: {} });
    return parsed instanceof Document ? parsed : new DOMParser().parseFromString(markup, 'text/html');
  };

  /** Letters that are hidden in escapes are shown first. */
  const neutralStyle = (css: string): string =>
    css
      .replaceAll(/\\([\da-f]{1,6})\s?/gi, (escape: string, digits: string) => {
        const character = String.fromCharCode(Number.parseInt(digits, 16) % 0x1_00_00);
        return /^[a-z@(-]$/i.test(character) ? character : escape;
      })
      .replaceAll(/\\([g-z@(-])/gi, '$1')
      .replaceAll(/@(?=import)/gi, '@not-')
      .replaceAll(/(url|src)\((?!\s*["']?\s*(data:|#))/gi, 'none(')
      .replaceAll(/image-set\(/gi, 'none(')
      .replaceAll('<', '');

  const isHarmlessAddress = (element: Element, name: string, value: string): boolean => {
    if (name === 'href' && element.localName === 'a') return /^\s*(https?:|mailto:|#)/i.test(value);
    return /^(src|href|xlink:href)$/.test(name) && /^\s*(data:image\/|#)/i.test(value);
  };

  /** A parser opens again, in each block that follows, what has no end: known before, as it may take a minute (Chromium 156). */
  const mayUnfold = (): boolean => {
    const names = '(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\\s/>])';
    const countOf = (tag: string): number => markup.match(new RegExp(tag, 'gi'))?.length ?? 0;
    return (countOf(`<${names}`) - countOf(`</${names}`)) * countOf('<[a-z]') > maxElements;
  };

  /** What is in the body, in blocks that have what was said of body and root: those tags themselves would be dropped. */
  const asBlocks = ({ body, documentElement: root }: Document): string => {
    let content: Node[] = [...body.childNodes];
    for (const element of [body, root]) {
      if (element.attributes.length === 0) continue;
      const block = element.ownerDocument.createElement('div');
      for (const { name, value } of element.attributes) {
        if (/^[a-z][\w:-]*$/i.test(name)) block.setAttribute(name, value);
      }
      block.append(...content);
      content = [block];
    }
    body.replaceChildren(...content);
    return body.innerHTML;
  };

  if (mayUnfold()) return null;
  const parsed = parse();
  const elements = [...parsed.querySelectorAll('*')];
  if (elements.length > maxElements) return null;
  for (const element of elements) {
    const tag = element.localName.toLowerCase();
    if (UNWANTED.has(tag)) element.remove();
    for (const { name, value } of Array.from(element.attributes)) {
      const attribute = name.toLowerCase();
      if (attribute.startsWith('on')) element.removeAttribute(name);
      else if (!ADDRESSES.has(attribute)) element.setAttribute(name, neutralStyle(value));
      else if (!isHarmlessAddress(element, attribute, value)) element.removeAttribute(name);
    }
    if (tag === 'style') element.textContent = neutralStyle(element.textContent);
  }
  const neutral = parsed.head.innerHTML + asBlocks(parsed);
  return neutral.length > maxLength ? null : neutral;
}
