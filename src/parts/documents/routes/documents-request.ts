import { z } from 'zod';
import { deliveryFields } from '../../../core/capture/request/delivery.ts';
import { sourceFields } from '../../../core/capture/request/source-fields.ts';
import { documentFields, MAX_TEMPLATE_LENGTH } from '../../../features/documents/document-fields.ts';
import { isDocumentDate } from '../document-date.ts';
import { pageRanges } from '../../../features/documents/page-ranges.ts';

const MAX_PARTS = 100;
const MAX_TITLE = 1_000;
const MAX_PASSWORD = 127;
const SIDE_FORM =
  'must be an object with one of capture (fields of /capture), stored (a path), job (an id), base64 (a PDF) and file (a name in files), and, optionally, password';

/** Without the expression of zod, which is slow for long texts. */
function isBase64(text: string): boolean {
  return /^[\w+/-]+={0,2}$/.test(text) && text.length % 4 !== 1;
}

const SOURCES = ['capture', 'stored', 'job', 'base64', 'file'] as const;

const sideShape = {
  capture: z.record(z.string(), z.unknown(), { error: 'must be an object with fields of /capture' }).optional(),
  stored: z.string({ error: 'must be a path' }).optional(),
  job: z.string({ error: 'must be an id' }).optional(),
  base64: z
    .string({ error: 'must be base64' })
    .refine(isBase64, { error: 'must be base64 without line breaks' })
    .meta({ contentEncoding: 'base64' })
    .optional(),
  file: z.string({ error: 'must be a name in files' }).optional(),
  password: z
    .string({ error: 'must be text' })
    .max(MAX_PASSWORD, { error: `must have at most ${MAX_PASSWORD} characters` })
    .meta({ description: 'Opens a document with a password' })
    .optional(),
};

function hasOneSource(side: Readonly<Partial<Record<(typeof SOURCES)[number], unknown>>>): boolean {
  return SOURCES.filter((name) => side[name] !== undefined).length === 1;
}

const SIDE_DESCRIPTION =
  'A capture (`capture`: its fields), a stored result, the result of a job, a PDF in base64, or a part of the body (`file`: its name)';

const documentSide = z
  .strictObject(sideShape, { error: SIDE_FORM })
  .refine(hasOneSource, { error: SIDE_FORM })
  .meta({ description: SIDE_DESCRIPTION });

const part = z
  .strictObject(
    {
      ...sideShape,
      pages: pageRanges
        .meta({ description: 'Its pages, in the order of the document. Unset: all', examples: ['1-3,5,8-'] })
        .optional(),
      rotate: z
        .union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)], { error: 'must be 0, 90, 180 or 270' })
        .meta({ description: 'Degrees by which its pages are turned clockwise' })
        .optional(),
      title: z
        .string({ error: 'must be text' })
        .min(1, { error: 'must not be empty' })
        .max(MAX_TITLE, { error: `must have at most ${MAX_TITLE} characters` })
        .meta({ description: 'Its bookmark, with `outline: titles`. Unset: the title of the document' })
        .optional(),
    },
    { error: SIDE_FORM },
  )
  .refine(hasOneSource, { error: SIDE_FORM })
  .meta({ description: SIDE_DESCRIPTION });

const { shape } = documentFields;
const files = sourceFields.shape.files.meta({
  description: 'Contents in base64 by name, for `file`. Or send them as parts of a `multipart/form-data` body',
});
/** How the result is delivered: fields of /capture. */
const delivery = {
  store: deliveryFields.shape.store,
  store_path: deliveryFields.shape.store_path,
  file_name: deliveryFields.shape.file_name,
  disposition: deliveryFields.shape.disposition,
};

/** Schema of the body of `POST /documents`. */
export const documentsRequest = z
  .strictObject(
    {
      parts: z
        .array(part, { error: 'must be a list of parts' })
        .min(1, { error: 'must have at least one part' })
        .max(MAX_PARTS, { error: `may have at most ${MAX_PARTS} parts` })
        .meta({ description: 'What the document is made of, in this order' }),
      outline: z.enum(['keep', 'titles', 'none'], { error: 'must be keep, titles or none' }).default('keep').meta({
        description:
          'Bookmarks. `keep`: those of the parts. `titles`: one for each part, with its own below. `none`: no bookmarks',
      }),
      page_numbers: z
        .strictObject(
          {
            template: z
              .string({ error: 'must be markup' })
              .min(1, { error: 'must not be empty' })
              .max(MAX_TEMPLATE_LENGTH, { error: `must have at most ${MAX_TEMPLATE_LENGTH} characters` }),
          },
          { error: 'must be an object with template' },
        )
        .meta({
          description: 'A footer over each page, with the rules of `pdf_footer_html`. Counts as a capture',
          examples: [{ template: 'Page <span class="pageNumber"></span> of <span class="totalPages"></span>' }],
        })
        .optional(),
      pdf_title: shape.pdf_title,
      pdf_author: shape.pdf_author,
      pdf_subject: shape.pdf_subject,
      pdf_keywords: shape.pdf_keywords,
      pdf_watermark: shape.pdf_watermark,
      pdf_standard: shape.pdf_standard,
      pdf_attachments: shape.pdf_attachments,
      pdf_password: shape.pdf_password,
      pdf_owner_password: shape.pdf_owner_password,
      pdf_permissions: shape.pdf_permissions,
      files,
      ...delivery,
    },
    { error: 'The request must be a JSON object with parts' },
  )
  .refine(
    ({ pdf_permissions: permissions, pdf_owner_password: owner }) => permissions === undefined || owner !== undefined,
    {
      error: 'pdf_permissions: needs pdf_owner_password, because who opens the document otherwise has all rights',
    },
  )
  .refine(
    ({ pdf_standard: standard, pdf_password: password, pdf_owner_password: owner }) =>
      standard === undefined || (password === undefined && owner === undefined),
    { error: 'pdf_standard: does not allow pdf_password and pdf_owner_password' },
  )
  .refine(({ store, store_path: path }) => store || path === undefined, { error: 'store_path: needs store' });

export type DocumentSide = z.output<typeof documentSide>;

const MOST_SPAN = 100_000;

/** Schema of the body of `POST /documents/split`. */
export const splitRequest = z
  .strictObject(
    {
      document: documentSide,
      mode: z.enum(['pages', 'intervals'], { error: 'must be pages or intervals' }).meta({
        description: '`intervals`: a document for each `span` pages. `pages`: the pages of `span`',
      }),
      span: z
        .union([z.int().min(1).max(MOST_SPAN), z.string()], {
          error: `must be a number of pages from 1 to ${MOST_SPAN}, or ranges such as 1-3,5,8-`,
        })
        .meta({ description: 'A number of pages, or ranges', examples: ['1-3,5,8-'] }),
      unify: z.boolean({ error: 'must be true or false' }).default(false).meta({
        description: 'With `mode: pages`: one document with all pages of `span`, in place of one for each page',
      }),
      files,
      file_name: delivery.file_name,
    },
    { error: 'The request must be a JSON object with document, mode and span' },
  )
  .transform((given, context) => {
    const { mode, span, unify } = given;
    const isNumber = typeof span === 'number' || /^\d{1,6}$/.test(span);
    if (mode === 'intervals') {
      const pages = Number(span);
      if (isNumber && pages >= 1 && pages <= MOST_SPAN && !unify) return { ...given, pieces: { mode, span: pages } };
      const message = unify ? 'needs mode to be pages' : `must be a number of pages from 1 to ${MOST_SPAN}`;
      context.addIssue({ code: 'custom', message, path: [unify ? 'unify' : 'span'], input: span });
      return z.NEVER;
    }
    const parsed = pageRanges.safeParse(String(span));
    if (parsed.success) return { ...given, pieces: { mode, span: parsed.data, unify } };
    context.addIssue({
      code: 'custom',
      message: parsed.error.issues[0]?.message ?? 'is not valid',
      path: ['span'],
      input: span,
    });
    return z.NEVER;
  });

const MOST_FACTS = 50;
const FACT_NAME = /^[A-Za-z][\w.-]{0,59}$/;
const FACTS_ERROR = `must be an object with at most ${MOST_FACTS} names such as Title, Author, Subject, Keywords, Creator, Producer, CreationDate, ModDate, each with a text of at most ${MAX_TITLE} characters without control characters, or null to remove it`;
const DATE_ERROR = 'must be a date such as 2026-11-30 or 2026-11-30T10:00:00+01:00';

function isFact(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= MAX_TITLE && !/\p{Cc}/u.test(value));
}

/** Entries of the document information. */
const documentFacts = z
  .record(z.string(), z.unknown(), { error: FACTS_ERROR })
  .transform((given, context): Readonly<Record<string, string | null>> => {
    const facts: Record<string, string | null> = {};
    const issue = (message: string, path: string[] = []): never => {
      context.addIssue({ code: 'custom', message, path, input: given });
      return z.NEVER;
    };
    const entries = Object.entries(given);
    if (entries.length > MOST_FACTS) return issue(FACTS_ERROR);
    for (const [name, value] of entries) {
      if (!FACT_NAME.test(name) || !isFact(value)) return issue(FACTS_ERROR);
      const isDate = name === 'CreationDate' || name === 'ModDate';
      if (isDate && value !== null && !isDocumentDate(value)) return issue(DATE_ERROR, [name]);
      facts[name] = value;
    }
    return facts;
  });

/** Schema of the body of `POST /documents/metadata`. */
export const metadataRequest = z.strictObject(
  {
    document: documentSide,
    metadata: documentFacts
      .meta({
        description: 'Entries of the document information to write; null removes one. Unset: the answer is JSON',
        examples: [{ Title: 'Invoice 4711', Keywords: null }],
      })
      .optional(),
    files,
    ...delivery,
  },
  { error: 'The request must be a JSON object with document and, optionally, metadata' },
);

/** Schema of the body of `POST /documents/flatten`. */
export const flattenRequest = z.strictObject(
  { document: documentSide, files, ...delivery },
  { error: 'The request must be a JSON object with document' },
);
