/** Attribute that carries the picture of a canvas from the page into the file. */
export const DRAWN = 'data-capture-drawn';
/** Attribute that carries the `srcset` of a picture. Chrome leaves `srcset` out of the pages that it saves. */
export const SOURCES = 'data-capture-sources';
/** Attribute of the links to sheets that replace those of style elements. */
export const SHEET = 'data-capture-sheet';
/** Attribute that carries `hidden`. Chrome leaves elements with `hidden` out of the pages that it saves. */
export const HIDDEN = 'data-capture-hidden';
/** Attribute that numbers a frame without an address, and the root of the document that a script wrote into it. */
export const WRITTEN = 'data-capture-written';
