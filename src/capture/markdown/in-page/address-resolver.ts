/** The whole address for what a page says; undefined for one that is not to be followed. */
export type Resolve = (text: string, use: { readonly isPicture: boolean }) => string | undefined;

/** Gives what resolves addresses, as `addressResolver`. */
export type AddressResolver = (base: string) => Resolve;

/**
 * Makes addresses whole, by the base of their document. None that carries a script or its own content is given: `javascript:` would run
 * in whatever shows the text. Where the base is no address of the web (supplied markup), relative ones stay as they are. A login in the
 * base is for whoever captures: it is in none. Runs in the page.
 */
export function addressResolver(base: string): Resolve {
  const maxLength = 8_192;
  const followed = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
  const isWeb = /^https?:/.test(base);
  const bare = isWeb ? new URL(base) : undefined;
  if (bare !== undefined) Object.assign(bare, { username: '', password: '' });
  const start = bare?.href;

  return (text, { isPicture }) => {
    // As browsers read it: `java\nscript:` is one word.
    // eslint-disable-next-line no-control-regex
    const written = text.replaceAll(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '');
    if (written === '' && (isPicture || text === '')) return undefined;
    if (written.length > maxLength) return undefined;
    const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(written);
    if (!hasScheme && !isWeb)
      return written === '' ? undefined : written.replaceAll(/[\s<>]/g, encodeURIComponent);
    if (!URL.canParse(written, start)) return undefined;
    const { protocol, href } = new URL(written, start);
    const isFollowed = isPicture ? /^https?:$/.test(protocol) : followed.has(protocol);
    return isFollowed && href.length <= maxLength ? href : undefined;
  };
}
