/** Attribute that carries the picture of a canvas from the page into the file. */
export const DRAWN = 'data-capture-drawn';
/** Attribute that carries the `srcset` of a picture. Chrome leaves `srcset` out of the pages that it saves. */
export const SOURCES = 'data-capture-sources';
