import type { Part } from '../../core/part.ts';
import { createDocuments, type DocumentsState } from './documents.ts';

/** Makes documents of documents. */
export const DOCUMENTS: Part<object, DocumentsState> = {
  open: ({ lifecycle }) => {
    const documents = createDocuments();
    lifecycle.onClose({ name: 'documents', timeoutMs: 1_000, close: documents.close });
    return { state: { documents } };
  },
};
