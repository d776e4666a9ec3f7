import { keepSource, type SourceBounds, type SourcePart } from '../../../steps/in-page/source-part.ts';

/** The used part of `markdown-it`. */
export type MarkdownItClass = new (options: { readonly html: boolean }) => {
  readonly parse: (text: string, env: object) => readonly Token[];
  readonly renderer: { readonly render: (tokens: readonly Token[], options: object, env: object) => string };
  readonly options: object;
};

interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
}

/**
 * Returns an HTML document for a text in CommonMark with tables, or its beginning. HTML in the text is escaped. The
 * first heading is the title. Runs in the page.
 */
export function renderMarkdown(
  MarkdownIt: MarkdownItClass,
  { text, style, ...bounds }: SourceBounds & { readonly text: string; readonly style: string },
): SourcePart {
  const service = new MarkdownIt({ html: false });
  const env = {};
  const tokens = service.parse(text, env);
  const heading = tokens.find((_token, index) => tokens[index - 1]?.type === 'heading_open');
  const title = (heading?.children ?? []).map(({ content }) => content).join('');
  const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = service.renderer.render(tokens, service.options, env);
  const page = `<!doctype html>
<html><head><meta charset="utf-8"><title>${escaped}</title><style>${style}</style></head>
<body><main>
${body}</main></body></html>
`;
  return keepSource(page, bounds);
}
