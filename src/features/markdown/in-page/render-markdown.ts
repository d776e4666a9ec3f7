import { createMarkdown, type MarkdownPackages, titleOf } from '../create-markdown.ts';
import { keepSource, type SourceBounds, type SourcePart } from '../../../core/steps/in-page/source-part.ts';

/**
 * Returns an HTML document for a text in Markdown, or its beginning. The language is that of the visitor. Runs in the
 * page.
 */
export function renderMarkdown(
  packages: MarkdownPackages,
  { text, style, ...bounds }: SourceBounds & { readonly text: string; readonly style: string },
): SourcePart {
  const service = createMarkdown(packages);
  const env = {};
  const tokens = service.parse(text, env);
  const escaped = titleOf(tokens, env).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = service.renderer.render(tokens, service.options, env);
  const page = `<!doctype html>
<html lang="${navigator.language}"><head><meta charset="utf-8"><title>${escaped}</title><style>${style}</style></head>
<body><main>
${body}</main></body></html>
`;
  return keepSource(page, bounds);
}
