/**
 * Names of the output formats. A module of its own: the worker thread of the job store reads them without loading the
 * formats.
 */
export const FORMAT_NAMES = ['png', 'jpeg', 'webp', 'avif', 'pdf', 'html', 'markdown', 'mhtml', 'single_html'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];
