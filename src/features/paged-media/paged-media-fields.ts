import { booleanField, fieldsOf } from '../../core/steps/common/fields.ts';

export const pagedMediaFields = fieldsOf('document', {
  paged_media: booleanField({
    description:
      'Lay a book out before it is printed, by the rules of CSS for paged media that browsers lack: `target-counter`, `leader`, `string-set`, `position: running()`, footnotes, left and right sheets, page counters, bleed and marks. Not with `pdf_single_page`, `pdf_header_html` and `pdf_footer_html`',
    example: true,
  }).default(false),
});
