import { extname } from 'node:path';
import type { Attachment } from '../../features/documents/standards/standard-fields.ts';
import type { Fields } from '../../core/capture/request/request-parser.ts';
import type { Template } from './template.ts';

/**
 * Returns the fields with the contents of the template's own attachments: files of its folder, and Liquid sources that
 * are rendered. Attachments of the request stay: they could otherwise read the sources. A check renders nothing, and
 * leaves those out.
 * @throws ServiceError TemplateError
 */
export async function renderAttachments(
  template: Pick<Template, 'fields' | 'site'>,
  fields: Fields,
  render: (source: string) => Promise<string | undefined>,
): Promise<Fields> {
  const own = attachmentsOf(template);
  if (own.length === 0 || fields['pdf_attachments'] !== template.fields['pdf_attachments']) return fields;
  const attachments: Attachment[] = [];
  for (const { file, ...attachment } of own) {
    if (file === undefined) attachments.push(attachment);
    else {
      const text = extname(file) === '.liquid' ? await render(file) : template.site.files.get(file)?.body;
      if (text !== undefined) attachments.push({ ...attachment, base64: Buffer.from(text).toString('base64') });
    }
  }
  return { ...fields, pdf_attachments: attachments.length === 0 ? undefined : attachments };
}

/** Returns the attachments that a template sets. Its fields were checked when it was read. */
export function attachmentsOf({ fields }: Pick<Template, 'fields'>): readonly Attachment[] {
  const { pdf_attachments: attachments }: { readonly pdf_attachments?: readonly Attachment[] } = fields;
  return attachments ?? [];
}
