import { describeField } from '../../../core/http/routes/capture-operations.ts';
import { z } from 'zod';
import { type JsonSchema, object, type Operation, reference } from '../../../core/http/routes/operation.ts';
import { SIDE_ERRORS } from '../../jobs/routes/read-kept.ts';
import { documentsRequest, flattenRequest, metadataRequest, splitRequest } from './documents-request.ts';

const BINARY = { schema: { type: 'string', format: 'binary' } };
const PDF = { description: 'The document', content: { 'application/pdf': BINARY } };

export const DOCUMENTS_OPERATION: Operation = {
  operationId: 'joinDocuments',
  tag: 'Capture',
  summary: 'Make one PDF of several',
  description:
    'Each part is a capture, a stored result, the result of a job, or a PDF. Bookmarks, links, named places, form fields, files, layers and tags of the parts stay and work. Each capture counts against the rate limit.',
  body: {
    schema: 'DocumentsRequest',
    examples: {
      report: {
        summary: 'A cover and a stored report, with page numbers',
        value: {
          parts: [
            { capture: { html_content: '<h1>Report</h1>' }, title: 'Cover' },
            { stored: 'reports/2026-11.pdf', pages: '1-3', title: 'Figures' },
          ],
          outline: 'titles',
          page_numbers: { template: 'Page <span class="pageNumber"></span>' },
        },
      },
    },
  },
  answers: { 200: PDF },
  errors: SIDE_ERRORS,
};

export const SPLIT_OPERATION: Operation = {
  operationId: 'splitDocument',
  tag: 'Capture',
  summary: 'Split a PDF',
  description: 'The answer is a zip with a PDF for each piece, or one PDF with `unify`.',
  body: {
    schema: 'SplitRequest',
    examples: {
      pages: {
        summary: 'Two pages of a stored report',
        value: { document: { stored: 'reports/2026-11.pdf' }, mode: 'pages', span: '2-3', unify: true },
      },
    },
  },
  answers: {
    200: { description: 'The pieces', content: { 'application/zip': BINARY, 'application/pdf': BINARY } },
  },
  errors: SIDE_ERRORS,
};

export const METADATA_OPERATION: Operation = {
  operationId: 'documentMetadata',
  tag: 'Capture',
  summary: 'Read or write what a PDF says about itself',
  description: 'Without `metadata`, the answer is JSON. With it, the answer is the changed PDF.',
  body: {
    schema: 'MetadataRequest',
    examples: {
      read: { summary: 'Read', value: { document: { stored: 'reports/2026-11.pdf' } } },
      write: {
        summary: 'Write',
        value: { document: { stored: 'reports/2026-11.pdf' }, metadata: { Title: 'Report', Keywords: null } },
      },
    },
  },
  answers: {
    200: {
      description: 'What the document says, or the changed document',
      content: { 'application/json': { schema: reference('DocumentFacts') }, 'application/pdf': BINARY },
    },
  },
  errors: SIDE_ERRORS,
};

export const FLATTEN_OPERATION: Operation = {
  operationId: 'flattenDocument',
  tag: 'Capture',
  summary: 'Draw the form fields and annotations of a PDF onto its pages',
  description: 'Links stay. The result has no form any more.',
  body: {
    schema: 'FlattenRequest',
    examples: { form: { summary: 'A filled form', value: { document: { stored: 'forms/4711.pdf' } } } },
  },
  answers: { 200: PDF },
  errors: SIDE_ERRORS,
};

function inputOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...input } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => describeField(jsonSchema),
  });
  return input;
}

export function documentsSchemas(): Readonly<Record<string, JsonSchema>> {
  const texts = { type: 'array', items: { type: 'string' } };
  return {
    DocumentsRequest: inputOf(documentsRequest),
    SplitRequest: inputOf(splitRequest),
    MetadataRequest: inputOf(metadataRequest),
    FlattenRequest: inputOf(flattenRequest),
    Bookmark: object({
      title: { type: 'string' },
      page: { type: ['integer', 'null'], description: 'Number of its page, from 1' },
      children: { type: 'array', items: reference('Bookmark') },
    }),
    DocumentFacts: object({
      pages: { type: 'integer' },
      page_sizes: {
        type: 'array',
        items: object({ width: { type: 'number' }, height: { type: 'number' } }),
        description: 'As they are seen, in points. At most 1,000',
      },
      version: { type: 'string' },
      language: { type: ['string', 'null'] },
      tagged: { type: 'boolean' },
      standards: { ...texts, description: 'Standards that the document claims to meet' },
      metadata: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Entries of the document information. Dates are ISO 8601',
      },
      bookmarks: { type: 'array', items: reference('Bookmark') },
      attachments: { ...texts, description: 'Names of files inside of the document' },
    }),
  };
}
