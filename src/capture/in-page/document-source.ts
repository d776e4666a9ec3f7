/** The document as it stands, doctype included. Runs in the page. */
export function documentSource(): string {
  const doctype =
    document.doctype === null ? '' : `${new XMLSerializer().serializeToString(document.doctype)}\n`;
  return doctype + document.documentElement.outerHTML;
}
