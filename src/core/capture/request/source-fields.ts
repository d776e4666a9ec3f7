import { z } from 'zod';
import { withoutLogin } from '../../egress/url-login.ts';
import { quoted } from '../../ground/quoted.ts';
import { choiceField, fieldsOf, textField, webAddressField } from '../../steps/common/fields.ts';
import { FEATURES } from '../../../features.ts';
import type { Feature } from '../../feature.ts';
import { FORMAT_NAMES, type FormatName } from '../formats/format-names.ts';

/** Fields of which a request has one, unless its template has a page. */
export const SOURCES: readonly string[] = ['url', 'html_content', 'markdown_content', 'file'];

export const MAX_FILES = 100;
/** Maximum size of all files together. */
export const MAX_FILES_BYTES = 20_971_520;
const MAX_NAME_LENGTH = 200;
const MAX_SHOWN_NAME = 64;
const NAME_ERROR = `must be a relative path of 1 to ${MAX_NAME_LENGTH} characters, without \\ and control characters, and without empty, . and .. parts`;

const CORE_FORMATS: readonly FormatName[] = ['png', 'jpeg', 'webp', 'avif', 'html'];
const features: readonly Feature[] = FEATURES;
/** The formats of the core and of the features, in the order of their names. */
const OFFERED = FORMAT_NAMES.filter(
  (name) => CORE_FORMATS.includes(name) || features.some(({ formats = {} }) => name in formats),
);

/** Fields for what is captured, and the way to it. */
export const sourceFields = fieldsOf('page', {
  url: webAddressField({ description: 'The page to capture', example: 'https://example.com/' }).optional(),
  html_content: z
    .string({ error: 'must be HTML as text' })
    .min(1, { error: 'must be HTML as text' })
    .meta({
      description: 'HTML to capture instead of a URL. Relative links in it need `base_url` or `files`',
      example: '<h1>Hello</h1>',
      accepts: 'HTML, within `MAX_BODY_BYTES`',
    })
    .optional(),
  base_url: webAddressField({
    description:
      'Base address of `html_content` or `markdown_content`: relative links are resolved against it, and scripts have its origin. It is not requested',
    example: 'https://example.com/invoices/',
  })
    .overwrite(withoutLogin)
    .optional(),
  files: z
    .record(z.string(), z.string({ error: 'must be base64' }).meta({ contentEncoding: 'base64' }), {
      error: 'must be an object with file names and contents in base64',
    })
    .refine((files) => Object.keys(files).length <= MAX_FILES, {
      error: `may have at most ${MAX_FILES} files`,
      abort: true,
    })
    .superRefine(checkFiles)
    .meta({
      description:
        'Files that `html_content` or `markdown_content` loads by relative links, such as styles, fonts and pictures. No other capture can load them. Or send them as parts of a `multipart/form-data` body',
      example: { 'style.css': 'aDEge2NvbG9yOiByZWR9' },
      accepts: `object with at most ${MAX_FILES} file names and their contents in base64, 20 MB in total`,
    })
    .optional(),
  proxy: textField(63, {
    description:
      'Name of the outgoing proxy of `PROXIES` that all connections of the page go through. Replaces `EGRESS_PROXY`, and `NO_PROXY` does not apply',
    example: 'office',
    accepts: 'name of a proxy',
  }).optional(),
  format: choiceField(OFFERED, { description: 'Output format', example: 'pdf' }).default('png'),
});

/** Returns what is wrong with the name of a file, which must be a path that stays below its folder in every program. */
export function fileNameProblem(name: string): string | undefined {
  const isShort = name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !/[\\\p{Cc}]/u.test(name);
  const isBelow = isShort && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isBelow ? undefined : `${quoted(name, MAX_SHOWN_NAME)} ${NAME_ERROR}`;
}

/** Adds an issue for each name or content that is not valid. */
function checkFiles(files: Readonly<Record<string, string>>, { issues }: z.RefinementCtx): void {
  for (const [name, text] of Object.entries(files)) {
    const isBase64 = /^[\w+/-]*={0,2}$/.test(text) && text.length % 4 !== 1;
    const contentProblem = `${quoted(name, MAX_SHOWN_NAME)} must be base64 without line breaks`;
    const message = fileNameProblem(name) ?? (isBase64 ? undefined : contentProblem);
    if (message !== undefined) issues.push({ code: 'custom', message, input: files });
  }
}
