/** `html_content` may not be empty, but a template may have nothing to show. */
const EMPTY_PAGE = '\n';
/** Keeps values from running scripts, whatever their place in the page. */
const NO_SCRIPTS = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;

/** Returns the page as it is captured: with a policy against scripts, unless the template has scripts of its own. */
export function finishPage(html: string, hasScripts: boolean): string {
  if (hasScripts) return html === '' ? EMPTY_PAGE : html;
  const end = endOfDocumentType(html);
  return html.slice(0, end) + NO_SCRIPTS + html.slice(end);
}

/**
 * Returns the position after the document type, which comments may precede; 0 without one. The policy follows it, because anything before
 * it would change the layout of the page. A scan, because a regular expression tried all ways to split the comments: 40 took hours.
 */
function endOfDocumentType(html: string): number {
  let at = 0;
  for (;;) {
    while (/\s/.test(html.charAt(at))) at++;
    if (!html.startsWith('<!--', at)) break;
    const end = html.indexOf('-->', at + 2); // `<!-->` is a whole comment
    if (end === -1) return 0;
    at = end + 3;
  }
  return /^<!doctype/i.test(html.slice(at, at + 9)) ? html.indexOf('>', at) + 1 : 0;
}
