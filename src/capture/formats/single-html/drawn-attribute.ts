/** Attribute with the picture of a canvas, on its way from the page into the file. */
export const DRAWN = 'data-capture-drawn';
