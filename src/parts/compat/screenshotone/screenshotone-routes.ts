import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import { equalInConstantTime, MAX_SECRETS } from '../../../core/access/signature.ts';
import { THEIR_KEY } from '../../../core/access/signed-text.ts';
import { FORMATS } from '../../../core/capture/request/formats.ts';
import { FORMAT_NAMES } from '../../../core/capture/formats/format-names.ts';
import { FIELD_NAMES } from '../../../core/capture/request/options.ts';
import { checkSignedFields, optionsOfLink } from '../../../core/capture/request/sensitive-fields.ts';
import type { ErrorType } from '../../../core/ground/errors.ts';
import type { ErrorBody, ErrorForm } from '../../../core/http/answers/error-handler.ts';
import {
  createCaptureBodyChecks,
  type RouteOptions,
  createCapturing,
  type ParseRequest,
} from '../../../core/http/routes/capture-route.ts';
import type { Core, Route } from '../../../core/http/routes/route.ts';
import { createCredentialCheck, type Credential } from '../credentials.ts';
import { convertOptions, type Fields, type Given, readGiven, theirWords } from '../convert-options.ts';
import type { CompatState } from '../send-later.ts';
import { LANDSCAPE, OPTIONAL, TAKE_OPTIONS } from './screenshotone-options.ts';

/** Replaces missing secrets, so that the time does not tell whether a key exists. */
const DECOY = 'decoy'.repeat(8);
/** Defaults of ScreenshotOne. */
const DEFAULTS: Fields = {
  format: 'jpeg',
  image_quality: 80,
  window_width: 1280,
  window_height: 1024,
  fail_on_http_error: true,
};
const PDF_DEFAULTS: Fields = { pdf_print_background: false };

/** The route of ScreenshotOne for screenshots. */
export const SCREENSHOTONE_ROUTES: readonly Route<CompatState>[] = [
  {
    path: '/take',
    methods: ['GET', 'HEAD', 'POST'],
    name: 'screenshotone',
    callers: 'bearer or link',
    authenticate: (options) => createCredentialCheck(options, (request) => findSignature(request, options)),
    right: 'capture',
    isLimited: true,
    setting: 'COMPAT=screenshotone',
    isOn: ({ config: { compat } }) => compat.includes('screenshotone'),
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, checks: createCaptureBodyChecks },
    errorForm: asTheirError,
    createHandler: createTakeHandler,
  },
];

/**
 * A signed link: HMAC-SHA256 in hex digits over the query as it was sent, by a signing secret of the key `access_key`.
 */
function findSignature({ originalUrl }: Request, { keys }: Pick<Core, 'keys'>): Credential | undefined {
  const query = originalUrl.slice(originalUrl.indexOf('?') + 1);
  const params = new URLSearchParams(query);
  const [id, signature] = [params.get(THEIR_KEY), params.get('signature')];
  if (id === null || signature === null) return undefined;
  const verify: Credential['verify'] = () => {
    const signed = query.replace(/(?:^|&)signature=[^&]*/, '').replace(/^&/, '');
    const key = isTheirText(signed, params) ? keys.byId(id) : undefined;
    const secrets = key?.signingSecrets ?? [];
    const isRight = Array.from({ length: MAX_SECRETS }, (_, index) => {
      const secret = secrets[index];
      const isEqual = equalInConstantTime(signature, hexHmac(signed, secret || DECOY));
      return isEqual && Boolean(secret);
    });
    return isRight.includes(true) ? key : undefined;
  };
  return { kind: 'link', verify, error: 'InvalidSignatureError' };
}

/** Parameters that may occur once. In a value of our links, users could add a second one. */
const SINGLE = [THEIR_KEY, 'signature', 'url', 'html', 'markdown'];
/** Parameters that our signed links have, and that are no options of ScreenshotOne. */
const OURS = [...FIELD_NAMES, 'expires', 'key'].filter((name) => !Object.hasOwn(TAKE_OPTIONS, name));

/**
 * False for the text of a signed link of ours: our values are not percent-encoded, so that one of them may contain
 * `&access_key=default&url=`. The same secrets sign both.
 */
function isTheirText(text: string, params: URLSearchParams): boolean {
  if (!`&${text}`.includes(`&${THEIR_KEY}=`)) return false;
  return SINGLE.every((name) => params.getAll(name).length <= 1) && !OURS.some((name) => params.has(name));
}

function hexHmac(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

function createTakeHandler(options: RouteOptions & Pick<Core, 'config'>) {
  const parse: ParseRequest = async (request, { key, credential }) => {
    const fields = fieldsOf(readGiven(request));
    const names = new Set(Object.keys(fields));
    if (credential === 'link') checkSignedFields(names, options.config.signedUrlAllow);
    const requested = await options.parseFields(fields, { key });
    return credential === 'link' ? optionsOfLink(requested, names) : requested;
  };
  return createCapturing(options, parse, {
    addHeaders: (response, _facts, stored) => {
      if (stored !== undefined) response.set('X-ScreenshotOne-Store-Key', stored.headers['X-Stored-Path']);
    },
  });
}

function fieldsOf(given: Given): Fields {
  const { [LANDSCAPE]: isLandscape, [OPTIONAL]: optional, ...fields } = convertOptions(given, TAKE_OPTIONS);
  const format = fields['format'] ?? DEFAULTS['format'];
  const all = { ...DEFAULTS, ...(format === 'pdf' && PDF_DEFAULTS), ...fields };
  return {
    ...withoutWindow(all, given),
    ...(typeof fields['device'] === 'string' && {
      device: isLandscape === true ? `${fields['device']} landscape` : fields['device'],
    }),
    ...withOptional(fields, Array.isArray(optional) ? optional : []),
    ...withExtension(fields, String(format)),
  };
}

/** A device has a window of its own. */
function withoutWindow(fields: Fields, given: Given): Fields {
  if (fields['device'] === undefined) return fields;
  const kept = Object.entries(fields).filter(
    ([name]) => !name.startsWith('window_') || given.has(name.replace('window', 'viewport')),
  );
  return Object.fromEntries(kept);
}

function withOptional({ actions }: Fields, optional: readonly unknown[]): Fields {
  if (!Array.isArray(actions) || optional.length === 0) return {};
  return {
    actions: actions.map((each) => (optional.includes(each.type) ? { ...each, optional: true } : each)),
  };
}

/** ScreenshotOne adds the extension to names and paths. */
function withExtension(fields: Fields, format: string): Fields {
  const known = FORMAT_NAMES.find((name) => name === format);
  const extension = known === undefined ? format : FORMATS[known].extension;
  const names = ['file_name', 'store_path'].filter((name) => typeof fields[name] === 'string');
  return Object.fromEntries(names.map((name) => [name, `${String(fields[name])}.${extension}`]));
}

/** ScreenshotOne's codes of our errors. */
const CODES: Readonly<Partial<Record<ErrorType, string>>> = {
  ValidationError: 'request_not_valid',
  AuthenticationError: 'access_key_invalid',
  InvalidSignatureError: 'signature_is_not_valid',
  ScopeError: 'access_key_invalid',
  DestinationNotAllowedError: 'invalid_url',
  ElementNotFoundError: 'selector_not_found',
  ActionFailedError: 'selector_not_found',
  PageRejectedError: 'content_contains_specified_string',
  NavigationError: 'host_returned_error',
  TimeoutError: 'timeout_error',
  RateLimitError: 'concurrency_limit_reached',
  OverloadedError: 'temporary_unavailable',
  QuotaExceededError: 'screenshots_limit_reached',
};

function asTheirError({ error_type: type, message, error_details: details }: ErrorBody): ReturnType<ErrorForm> {
  return {
    body: {
      is_successful: false,
      error_code: CODES[type] ?? 'internal_application_error',
      error_message: details === undefined ? message : `${message}: ${theirWords(details, TAKE_OPTIONS)}`,
      documentation_url: 'docs',
    },
  };
}
