import type { Request } from 'express';
import { WHOLE_SHEET } from '../../../features/documents/header-footer.ts';
import { encodeBase64 } from '../../../core/capture/answer.ts';
import { validationError } from '../../../core/ground/errors.ts';
import type { ErrorForm } from '../../../core/http/answers/error-handler.ts';
import {
  type RouteOptions,
  createCapturing,
  createQueueCheck,
  type ParseRequest,
} from '../../../core/http/routes/capture-route.ts';
import type { Core, Route } from '../../../core/http/routes/route.ts';
import { createSendCapture, headerSafe } from '../../../core/http/routes/send-capture.ts';
import { createCredentialCheck, type Credential } from '../credentials.ts';
import { convertOptions, type Fields, type Given, type Options, readGiven, theirWords } from '../convert-options.ts';
import type { CompatState } from '../send-later.ts';
import { CONTENT_OPTIONS, GROUPS, PDF_OPTIONS, SCREENSHOT_OPTIONS, type Undecided } from './browserless-options.ts';

const LETTER = { pdf_width: '8.5in', pdf_height: '11in' };
/** Options of the query that are true without a value. */
const FLAGS = new Set(['blockAds', 'blockConsentModals']);

interface Kind {
  readonly options: Options;
  /** Defaults of browserless, as our fields. */
  readonly defaults: Fields;
}

const WINDOW = { window_width: 800, window_height: 600 };
const KINDS: Readonly<Record<'screenshot' | 'pdf' | 'content', Kind>> = {
  screenshot: {
    options: SCREENSHOT_OPTIONS,
    defaults: { ...WINDOW, format: 'png', image_quality: 80 },
  },
  pdf: {
    options: PDF_OPTIONS,
    defaults: {
      ...WINDOW,
      format: 'pdf',
      pdf_margin: { top: 0, right: 0, bottom: 0, left: 0 },
      pdf_print_background: false,
    },
  },
  content: { options: CONTENT_OPTIONS, defaults: { ...WINDOW, format: 'html' } },
};

/** Browsers that its paths may name. There is one here. */
const BROWSERS = ['', '/chromium', '/chrome'];

/** Routes of browserless for screenshots, documents and HTML. */
export const BROWSERLESS_ROUTES: readonly Route<CompatState>[] = BROWSERS.flatMap((browser) =>
  Object.entries(KINDS).map(([name, kind]) => createRoute(`${browser}/${name}`, kind)),
);

function createRoute(path: string, kind: Kind): Route<CompatState> {
  return {
    path,
    methods: ['POST'],
    name: 'browserless',
    callers: 'bearer',
    authenticate: (options) => createCredentialCheck(options, (request) => findToken(request, options)),
    right: 'capture',
    isLimited: true,
    setting: 'COMPAT=browserless',
    isOn: ({ config: { compat } }) => compat.includes('browserless'),
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, checks: (options) => [createQueueCheck(options)] },
    errorForm: asTheirError(kind),
    createHandler: (options) => createHandler(options, kind),
  };
}

function findToken({ originalUrl }: Request, { keys }: Pick<Core, 'keys'>): Credential | undefined {
  const start = originalUrl.indexOf('?');
  const token = start === -1 ? null : new URLSearchParams(originalUrl.slice(start)).get('token');
  return token === null
    ? undefined
    : { kind: 'token', verify: () => keys.byToken(token), error: 'AuthenticationError' };
}

function createHandler(options: RouteOptions, kind: Kind) {
  const parse: ParseRequest = async (request, { key }) =>
    await options.parseFields(fieldsOf(withFlags(readGiven(request, GROUPS)), kind), { key });
  const send = createSendCapture(options);
  return createCapturing(options, parse, {
    send: async (request, response, sendable) => {
      if (kind !== KINDS.screenshot || readGiven(request, GROUPS).get('options.encoding')?.at(-1) !== 'base64') {
        await send(request, response, sendable);
        return;
      }
      response.set('Cache-Control', 'no-store').type('text');
      options.sendBody(response, await encodeBase64(sendable.answer.file), { isKept: false });
    },
    addHeaders: (response, { targetStatus, targetUrl }) => {
      if (targetStatus !== undefined) response.set('X-Response-Code', `${targetStatus}`);
      if (targetUrl !== undefined) response.set('X-Response-URL', headerSafe(targetUrl));
    },
  });
}

function withFlags(given: Given): Given {
  return new Map([...given].map(([name, values]) => [name, FLAGS.has(name) && values[0] === '' ? ['true'] : values]));
}

function fieldsOf(given: Given, { options, defaults }: Kind): Fields {
  const converted: Record<string, unknown> & Undecided = convertOptions(given, options, defaults);
  const {
    styleTags = [],
    scriptTags = [],
    waitLimits,
    totalLimit,
    isBestAttempt,
    hasHeaders,
    prefersPageSize,
    ...fields
  } = converted;
  const tags = [...styleTags, ...scriptTags];
  const limitsMs = [
    ...(waitLimits === undefined ? [] : [Math.max(...waitLimits)]),
    ...(totalLimit === undefined ? [] : [totalLimit]),
  ];
  return {
    ...(fields['format'] === 'pdf' ? onPaper(fields, { hasHeaders, prefersPageSize }) : fields),
    ...(tags.length > 0 && { custom_js: tags.join('\n') }),
    ...(limitsMs.length > 0 && { wait_for_timeout: Math.min(...limitsMs) }),
    ...(isBestAttempt === true && withOptionalWaits(fields)),
  };
}

/** Templates for Chrome bring their own padding. */
function spanning(template: unknown): unknown {
  return typeof template === 'string' && template !== '' ? `${WHOLE_SHEET}${template}` : template;
}

/** A format wins over a size, as in Puppeteer. Without a template, there is no header. */
function onPaper(
  {
    pdf_format: format,
    pdf_width: width,
    pdf_height: height,
    pdf_header_html: header,
    pdf_footer_html: footer,
    ...fields
  }: Fields,
  { hasHeaders, prefersPageSize }: Undecided,
): Fields {
  const isSingle = fields['pdf_single_page'] === true;
  const size = {
    pdf_width: width ?? LETTER.pdf_width,
    ...((!isSingle || height !== undefined) && { pdf_height: height ?? LETTER.pdf_height }),
  };
  return {
    ...fields,
    ...(prefersPageSize !== true && (format === undefined ? size : { pdf_format: format })),
    ...(hasHeaders === true && { pdf_header_html: spanning(header), pdf_footer_html: spanning(footer) }),
    ...(fields['pdf_outline'] === true && { pdf_tagged: true }),
  };
}

/** Waits for an element that may stay away. */
function withOptionalWaits({ wait_for_selector: selector, actions = [], ...others }: Fields): Fields {
  if (others['wait_for_function'] !== undefined || others['wait_for_selector_hidden'] !== undefined) {
    throw validationError('bestAttempt: is not supported with waitForFunction and waitForSelector.hidden');
  }
  const waits = [
    ...(Array.isArray(actions) ? actions : []),
    ...(selector === undefined ? [] : [{ type: 'wait', selector }]),
  ];
  return {
    wait_for_selector: undefined,
    ...(waits.length > 0 && { actions: waits.map((wait) => ({ ...wait, optional: true })) }),
  };
}

/** Statuses of browserless for our errors; others keep theirs. */
const STATUSES: Readonly<Record<string, number>> = {
  AuthenticationError: 401,
  DestinationNotAllowedError: 403,
  TimeoutError: 408,
  OverloadedError: 429,
};

/** An error with a status below 500 is JSON if the request was JSON. Errors of credentials are text. */
function asTheirError({ options }: Kind): ErrorForm {
  return ({ error_type: type, message, error_details: details }, status, request) => {
    const theirs = STATUSES[type] ?? status;
    const text = details === undefined ? message : theirWords(details, options);
    const isJson = theirs < 500 && type !== 'AuthenticationError' && request.is('json') === 'json';
    return { status: theirs, body: isJson ? { error: text } : text };
  };
}
