import { type Exchange, type Routes, send, sendHtml } from './exchange.ts';

/** Returns a script that runs at `load`, in a page with visible content. */
const atLoad = (script: string): string =>
  `<!doctype html><title>Broken</title><p>text</p><script>onload = () => { ${script} }</script>`;

/** Returns a page with elements named like properties of `document` (DOM clobbering). */
const clobbering = (names: string): string =>
  `<!doctype html><title>Broken</title><p>text</p>${names
    .split(' ')
    .map((name) => `<form name="${name}"></form><img name="${name}" alt="">`)
    .join(
      '',
    )}<form><input name="style"><input name="getAttribute"><input name="querySelectorAll"><input name="scrollTo"></form>`;

const svg = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60">${content}</svg>`;

/** Documents without elements that page code expects, by name: content type and body. */
export const BROKEN_DOCUMENTS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'empty-body': ['text/html', ''],
  'root-removed': ['text/html', atLoad('document.documentElement.remove()')],
  'children-replaced': ['text/html', atLoad('document.replaceChildren()')],
  'comment-alone': ['text/html', atLoad("document.replaceChildren(document.createComment('x'))")],
  'opened-for-writing': ['text/html', atLoad('document.open()')],
  'written-at-load': ['text/html', atLoad("document.write('<p>written'); document.close()")],
  'body-removed': ['text/html', atLoad('document.body.remove()')],
  'head-removed': ['text/html', atLoad('document.head.remove()')],
  'svg-as-root': [
    'text/html',
    atLoad("document.documentElement.replaceWith(document.createElementNS('http://www.w3.org/2000/svg', 'svg'))"),
  ],
  'body-of-another-kind': ['text/html', atLoad("document.body.replaceWith(document.createElement('div'))")],
  'root-removed-each-frame': [
    'text/html',
    atLoad('const end = () => { document.documentElement?.remove(); requestAnimationFrame(end) }; end()'),
  ],
  'root-removed-on-scroll': [
    'text/html',
    atLoad("document.body.style.height = '3000px'; onscroll = () => document.documentElement?.remove()"),
  ],
  'root-removed-at-resize': ['text/html', atLoad('onresize = onbeforeprint = () => document.replaceChildren()')],
  frameset: ['text/html', '<frameset cols="50%,50%"><frame src="about:blank"><frame src="about:blank"></frameset>'],
  'frame-without-root': [
    'text/html',
    atLoad(
      "const frame = document.body.appendChild(document.createElement('iframe')); frame.contentDocument.documentElement.remove()",
    ),
  ],
  svg: ['image/svg+xml', svg('<rect width="80" height="60" fill="green"/>')],
  'svg-without-content': ['image/svg+xml', svg('<script>document.documentElement.remove()</script>')],
  xml: ['application/xml', '<list><item>one</item></list>'],
  'xml-with-error': ['application/xml', '<list><item>one</list>'],
  'xml-without-root': ['application/xml', ''],
  'transformed-to-nothing': [
    'application/xml',
    '<?xml-stylesheet type="text/xsl" href="#nothing"?><!DOCTYPE list [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]><list><xsl:stylesheet id="nothing" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"/></xsl:stylesheet></list>',
  ],
  text: ['text/plain', ''],
  'clobbered-roots': ['text/html', clobbering('documentElement body head scrollingElement doctype title')],
  'clobbered-methods': [
    'text/html',
    clobbering(
      'querySelector querySelectorAll createElement evaluate getAnimations elementFromPoint createTreeWalker createRange createDocumentFragment getElementsByTagName',
    ),
  ],
  'clobbered-properties': [
    'text/html',
    clobbering(
      'images fonts styleSheets adoptedStyleSheets defaultView compatMode activeElement implementation baseURI',
    ),
  ],
};

/** `/broken/<kind>`: one of `BROKEN_DOCUMENTS`. */
export function brokenRoutes(): Routes {
  return {
    '/broken/*': ({ response, rest }: Exchange) => {
      const [type, body] = BROKEN_DOCUMENTS[rest] ?? ['text/html', ''];
      if (type === 'text/html') sendHtml(response, body);
      else send(response, { type, body });
    },
  };
}
