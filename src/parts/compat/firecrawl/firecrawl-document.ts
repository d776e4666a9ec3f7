import { z } from 'zod';
import { metadata as metadataPart } from '../../../features/data/page-parts.ts';
import type { DocumentParts } from './firecrawl-options.ts';

const FILE_START = Buffer.from('"base64":"');
/** The file is a member of the head, whose texts are short. Later ones are of the page, which may contain anything. */
const FILE_MEMBER = Buffer.from('"file":{');
const text = z.object({ text: z.string() });
/** The members of a JSON answer that documents are made of. */
const jsonAnswer = z.object({
  target: z.object({ url: z.string().nullable(), status: z.number().nullable() }),
  file: z.object({ content_type: z.string(), url: z.string().optional() }),
  metadata: metadataPart.schema.optional(),
  markdown: text.optional(),
  html: text.optional(),
  links: z.object({ entries: z.array(z.object({ url: z.string() })) }).optional(),
  warnings: z.array(z.string()),
});

/**
 * Converts a JSON answer of a capture to a document of Firecrawl, as pieces of JSON. The picture is not parsed: it may
 * have 100 MB.
 * @param sourceUrl the address of the request
 */
export function toDocument(json: Buffer, parts: DocumentParts, sourceUrl: string): readonly Buffer[] {
  const start = fileStartOf(json);
  const from = start === -1 ? json.length : start + FILE_START.length;
  const to = start === -1 ? json.length : json.indexOf('"', from);
  const rest: unknown = JSON.parse(`${json.toString('utf8', 0, from)}${json.toString('utf8', to)}`);
  const { target, file, metadata, markdown, html, links, warnings } = jsonAnswer.parse(rest);
  const document = {
    ...(parts.has('markdown') && { markdown: markdown?.text }),
    ...(parts.has('html') && { html: html?.text }),
    ...(parts.has('rawHtml') && { rawHtml: html?.text }),
    ...(parts.has('links') && { links: [...new Set(links?.entries.map(({ url }) => url))] }),
    ...(parts.has('screenshot') && file.url !== undefined && { screenshot: file.url }),
    metadata: {
      ...Object.fromEntries(
        Object.entries(metadata?.open_graph ?? {}).map(([name, value]) => [camelCase(name), value]),
      ),
      ...definedOf({
        title: metadata?.title,
        description: metadata?.description,
        language: metadata?.language,
        favicon: metadata?.icons[0]?.url,
      }),
      sourceURL: sourceUrl,
      url: target.url ?? sourceUrl,
      statusCode: target.status ?? 200,
    },
    ...(warnings.length > 0 && { warning: warnings.join(', ') }),
  };
  const written = JSON.stringify(document);
  if (start === -1 || !parts.has('screenshot')) return [Buffer.from(written)];
  const head = `{"screenshot":"data:${file.content_type};base64,`;
  return [Buffer.from(head), json.subarray(from, to), Buffer.from(`",${written.slice(1)}`)];
}

/** Returns the place of the file in base64. -1 if the answer has a link to it. */
function fileStartOf(json: Buffer): number {
  const member = json.indexOf(FILE_MEMBER);
  const start = json.indexOf(FILE_START, member);
  return start !== -1 && start < json.indexOf('}', member) ? start : -1;
}

/** `og:image:width` is `ogImageWidth`. */
function camelCase(property: string): string {
  return property.replaceAll(/[:_-]+(.?)/g, (_match, letter: string) => letter.toUpperCase());
}

function definedOf(members: Readonly<Record<string, string | null | undefined>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
