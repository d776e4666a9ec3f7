/**
 * Lays the rules over the page, its frames of the same origin and its open shadow trees. Constructed sheets: no policy of the
 * page forbids them, and its markup stays as it is. Once for each tree, however often it is called. Runs in the page.
 */
export function adoptStyleSheet(css: string): void {
  const adopt = (root: Document | ShadowRoot, view: Window & typeof globalThis): void => {
    const isThere = root.adoptedStyleSheets.some((sheet) => Reflect.get(sheet, 'rulesOfClient') === css);
    if (!isThere) {
      const sheet = new view.CSSStyleSheet(); // a sheet belongs to the document of its window
      sheet.replaceSync(css);
      Reflect.set(sheet, 'rulesOfClient', css); // in our world only: the page does not see it
      root.adoptedStyleSheets.push(sheet);
    }
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot !== null) adopt(element.shadowRoot, view);
      if (!(element instanceof view.HTMLIFrameElement)) continue;
      const inner = element.contentDocument?.defaultView; // none for another origin
      if (inner !== null && inner !== undefined) adopt(inner.document, inner);
    }
  };
  adopt(document, window);
}
