/** Returns the absolute address. Undefined for addresses that must not be followed. */
export type ResolveAddress = (text: string, use: { readonly isPicture: boolean }) => string | undefined;

/**
 * Creates a function that resolves addresses against the base of their document. It drops addresses that carry script
 * or content: `javascript:` would run wherever the text is displayed. If the base is no web address (supplied markup),
 * relative addresses stay relative. A login in the base is removed. Runs in the page.
 */
export function addressResolver(base: string): ResolveAddress {
  const maxLength = 8_192;
  const followed = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
  // Supplied markup that is served to its capture alone has an address that leads nowhere.
  const isWeb = /^https?:/.test(base) && !base.startsWith('http://template.invalid/');
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
    if (!hasScheme && !isWeb) return written === '' ? undefined : written.replaceAll(/[\s<>]/g, encodeURIComponent);
    if (!URL.canParse(written, start)) return undefined;
    const { protocol, href } = new URL(written, start);
    const isFollowed = isPicture ? /^https?:$/.test(protocol) : followed.has(protocol);
    return isFollowed && href.length <= maxLength ? href : undefined;
  };
}
