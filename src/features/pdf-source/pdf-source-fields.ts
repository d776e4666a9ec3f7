import { z } from 'zod';
import { fieldsOf, integerField } from '../../core/steps/common/fields.ts';

const FILE_ERROR = 'must be a name in files';
const MOST_PAGES = 100_000;

/** Fields for a PDF in place of a web page. */
export const pdfSourceFields = fieldsOf('page', {
  file: z
    .string({ error: FILE_ERROR })
    .min(1, { error: FILE_ERROR })
    .max(200, { error: FILE_ERROR })
    .meta({
      description: 'Name of a PDF in `files` to capture instead of a URL. A `url` may be a PDF as well',
      example: 'report.pdf',
      accepts: 'a name in `files`',
    })
    .optional(),
  pdf_page: integerField(
    { min: 1, max: MOST_PAGES },
    {
      description:
        'Page of a PDF that a picture shows, at `window_width`. Unset: the first. With `full_page`, a picture shows all pages below each other',
      example: 2,
    },
  ).optional(),
});

export type PdfSourceOptions = z.output<typeof pdfSourceFields>;
