/** Attribute with the picture of a canvas, on its way from the page into the file. */
export const DRAWN = 'data-capture-drawn';
/** Attribute with the `srcset` of a picture, which Chrome leaves out of the pages that it saves. */
export const SOURCES = 'data-capture-sources';
