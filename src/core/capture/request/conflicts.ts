import type { RequestFields } from './options.ts';

interface Conflict {
  /** True if the request has this conflict. `isNamed` is true for fields in the request; defaults never conflict. */
  readonly holds: (options: RequestFields, isNamed: (field: keyof RequestFields) => boolean) => boolean;
  readonly details: string;
}

const needsUrl = (field: 'custom_headers' | 'cookies' | 'http_auth' | 'geolocation'): Conflict => ({
  holds: (options) => options[field] !== undefined && options.url === undefined,
  details: `${field}: needs url, because html_content has no origin`,
});
const needsMarkup = (field: 'base_url' | 'files'): Conflict => ({
  holds: (options) => options[field] !== undefined && options.url !== undefined,
  details: `${field}: can't be combined with url, it is for html_content and markdown_content`,
});
const needsScripts = (field: 'custom_js' | 'init_script' | 'wait_for_function'): Conflict => ({
  holds: (options) => options[field] !== undefined && !options.javascript,
  details: `${field}: needs scripts, but javascript is false`,
});

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'avif']);
/** Formats of text that take elements. */
const TEXTS: ReadonlySet<string> = new Set(['html', 'markdown']);
/** Formats that run no scripts in a browser. */
const SHOWN_INLINE: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'avif', 'pdf', 'markdown']);

/** Combinations of fields that a request must not have, each as `field: rule`, for the documentation. */
export const conflictRules = (): readonly string[] => CONFLICTS.map(({ details }) => details);

/** Conflicts between fields that are valid alone. */
const CONFLICTS: readonly Conflict[] = [
  {
    // `parts/templates/` replaces both fields before this check.
    holds: ({ template }) => template !== undefined,
    details: 'template: needs the setting TEMPLATES_DIR',
  },
  {
    holds: ({ data }) => data !== undefined,
    details: 'data: needs template',
  },
  {
    holds: ({ url, html_content: markup, markdown_content: markdown, file }) =>
      url === undefined && markup === undefined && markdown === undefined && file === undefined,
    details: 'Either url or html_content must be provided',
  },
  {
    holds: ({ url, html_content: markup }) => url !== undefined && markup !== undefined,
    details: 'Only one of url and html_content may be provided',
  },
  {
    holds: ({ url, html_content: markup, markdown_content: markdown }) =>
      markdown !== undefined && (url !== undefined || markup !== undefined),
    details: "markdown_content: can't be combined with url or html_content",
  },
  {
    holds: ({ file, url, html_content: markup, markdown_content: markdown }) =>
      file !== undefined && (url !== undefined || markup !== undefined || markdown !== undefined),
    details: "file: can't be combined with url, html_content or markdown_content",
  },
  needsMarkup('base_url'),
  {
    ...needsMarkup('files'),
    holds: ({ files, url, pdf_attachments: attachments }) =>
      files !== undefined && url !== undefined && attachments === undefined,
  },
  {
    holds: ({ clip, selector }) => clip !== undefined && selector !== undefined,
    details: "clip: can't be combined with selector",
  },
  {
    holds: ({ selector, selector_all: isAll, format }) =>
      isAll && (selector === undefined || !(PICTURES.has(format) || TEXTS.has(format))),
    details: 'selector_all: needs selector, and the format of a picture, html or markdown',
  },
  {
    holds: ({ selector, selector_each: isEach, format }) => isEach && (selector === undefined || !PICTURES.has(format)),
    details: 'selector_each: needs selector, and the format of a picture',
  },
  {
    holds: ({ selector_each: isEach, selector_all: isAll }) => isEach && isAll,
    details: "selector_each: can't be combined with selector_all, which makes one picture",
  },
  {
    holds: ({ selector_each: isEach, response_type: type }) => isEach && type !== 'json',
    details: "selector_each: can't be combined with response_type file, because the answer has several pictures",
  },
  {
    holds: ({ selector_each: isEach, store_path: path }) => isEach && path !== undefined,
    details: "selector_each: can't be combined with store_path, because each picture is stored as a file of its own",
  },
  {
    holds: ({ selector, selector_padding: padding, format }) =>
      padding > 0 && (selector === undefined || !PICTURES.has(format)),
    details: 'selector_padding: needs selector, and the format of a picture',
  },
  {
    holds: ({ resize_width: width, resize_height: height }, isNamed) =>
      isNamed('resize_fit') && (width === undefined || height === undefined),
    details: 'resize_fit: needs both resize_width and resize_height',
  },
  {
    holds: ({ color, format }, isNamed) => isNamed('color') && color === 'gray' && !PICTURES.has(format),
    details: 'color: gray needs the format of a picture',
  },
  {
    holds: ({ color, format }, isNamed) => isNamed('color') && color === 'mono' && format !== 'png',
    details: 'color: mono needs the format png, which alone has pictures of 1 bit',
  },
  {
    holds: ({ color }, isNamed) => isNamed('dither') && color !== 'mono',
    details: 'dither: needs color to be mono',
  },
  {
    holds: ({ include, response_type: type }) => include !== undefined && type !== 'json',
    details: 'include: needs response_type to be json',
  },
  {
    holds: ({ extract, response_type: type }) => extract !== undefined && type !== 'json',
    details: 'extract: needs response_type to be json',
  },
  {
    holds: ({ include, extract }) => include?.includes('extract') === true && extract === undefined,
    details: 'include: extract needs the field extract',
  },
  {
    holds: ({ include, visible_text: isVisible }) => include?.includes('hidden_text') === true && !isVisible,
    details: 'include: hidden_text needs visible_text',
  },
  needsUrl('custom_headers'),
  needsUrl('cookies'),
  needsUrl('http_auth'),
  needsUrl('geolocation'),
  needsScripts('custom_js'),
  needsScripts('init_script'),
  needsScripts('wait_for_function'),
  {
    holds: ({ pdf_height: height, pdf_single_page: isSingle }) => isSingle && height !== undefined,
    details: "pdf_height: can't be combined with pdf_single_page, whose height is the height of the page",
  },
  {
    holds: ({ pdf_page_ranges: ranges, pdf_single_page: isSingle }) => isSingle && ranges !== undefined,
    details: "pdf_page_ranges: can't be combined with pdf_single_page, which prints one page",
  },
  {
    // The height of a single sheet is the height of the page.
    holds: ({ pdf_width: width, pdf_height: height, pdf_single_page: isSingle }) =>
      width !== undefined && height === undefined && !isSingle,
    details: 'pdf_width: needs pdf_height',
  },
  {
    holds: ({ pdf_width: width, pdf_height: height }) => width === undefined && height !== undefined,
    details: 'pdf_height: needs pdf_width',
  },
  {
    holds: ({ pdf_format: format, pdf_width: width }) => format !== undefined && width !== undefined,
    details: "pdf_format: can't be combined with pdf_width and pdf_height",
  },
  {
    holds: ({ pdf_outline: hasOutline, pdf_tagged: isTagged }) => hasOutline && !isTagged,
    details: 'pdf_outline: needs pdf_tagged, because bookmarks are made from the tags',
  },
  {
    holds: ({ pdf_standard: standards, pdf_attachments: attachments }) =>
      standards?.includes('PDF/A-2b') === true && attachments !== undefined,
    details: 'pdf_attachments: needs PDF/A-3b, because PDF/A-2b holds no other files',
  },
  {
    holds: ({ pdf_permissions: permissions, pdf_owner_password: password }) =>
      permissions !== undefined && password === undefined,
    details: 'pdf_permissions: needs pdf_owner_password, because who opens the document otherwise has all rights',
  },
  {
    holds: ({ pdf_standard: standards, pdf_tagged: isTagged }) => standards?.includes('PDF/UA-1') === true && !isTagged,
    details: 'pdf_standard: PDF/UA-1 needs pdf_tagged',
  },
  {
    holds: ({ pdf_standard: standards, pdf_password: password, pdf_owner_password: owner }) =>
      standards !== undefined && (password !== undefined || owner !== undefined),
    details: 'pdf_standard: does not allow pdf_password and pdf_owner_password',
  },
  {
    holds: ({ paged_media: isPaged, pdf_single_page: isSingle, pdf_header_html: header, pdf_footer_html: footer }) =>
      isPaged && (isSingle || header !== undefined || footer !== undefined),
    details:
      'paged_media: not with pdf_single_page, pdf_header_html and pdf_footer_html; the margin boxes of @page take their place',
  },
  {
    holds: ({ paged_media: isPaged, selector, pdf_scale: scale }) => isPaged && (selector !== undefined || scale !== 1),
    details: 'paged_media: not with selector and pdf_scale',
  },
  {
    holds: ({ paged_media: isPaged, format }) => isPaged && format !== 'pdf',
    details: 'paged_media: needs the format pdf',
  },
  {
    holds: ({ paged_media: isPaged, javascript }) => isPaged && !javascript,
    details: 'paged_media: needs javascript',
  },
  {
    holds: ({ reproducible: isReproducible, format }) => isReproducible && format === 'mhtml',
    details: 'reproducible: not with the format mhtml, which has other names for its parts each time',
  },
  {
    holds: ({ reproducible: isReproducible, pdf_password: password, pdf_owner_password: owner }) =>
      isReproducible && (password !== undefined || owner !== undefined),
    details:
      'reproducible: not with pdf_password and pdf_owner_password, whose encryption takes other random bytes each time',
  },
  {
    holds: ({ store: isStored, store_path: path }) => path !== undefined && !isStored,
    details: 'store_path: needs store',
  },
  {
    holds: ({ disposition, format, response_type: type }) =>
      disposition === 'inline' && (type === 'json' || !SHOWN_INLINE.has(format)),
    details: `disposition: inline is for files of the formats ${[...SHOWN_INLINE].join(', ')}`,
  },
];

/** Returns the conflict of a request in words for the client. Undefined if there is none. */
export function findConflict(
  options: RequestFields,
  isNamed: (field: keyof RequestFields) => boolean,
): string | undefined {
  return CONFLICTS.find(({ holds }) => holds(options, isNamed))?.details;
}
