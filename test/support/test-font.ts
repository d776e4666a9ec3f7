import { readFileSync } from 'node:fs';

const file = new URL('../../node_modules/katex/dist/fonts/KaTeX_SansSerif-Regular.woff2', import.meta.url);

/**
 * Declares the font `Test`, for tests that measure text: fonts of the machine differ in width, and some are higher than
 * their line.
 */
export const TEST_FONT = `@font-face { font-family: Test; src: url(data:font/woff2;base64,${readFileSync(file).toString('base64')}) }`;
