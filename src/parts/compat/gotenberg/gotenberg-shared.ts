import type { RequestHandler } from 'express';
import type { ErrorForm } from '../../../core/http/answers/error-handler.ts';
import type { Core, Route } from '../../../core/http/routes/route.ts';
import { type Options, theirWords } from '../convert-options.ts';
import { basicOf, createCredentialCheck } from '../credentials.ts';
import type { CompatState } from '../send-later.ts';

export const SETTING = 'COMPAT=gotenberg';
export const OUTPUT_NAME = 'Gotenberg-Output-Filename';
export const TRACE = 'Gotenberg-Trace';
export const WEBHOOK = {
  url: 'Gotenberg-Webhook-Url',
  errorUrl: 'Gotenberg-Webhook-Error-Url',
  method: 'Gotenberg-Webhook-Method',
  errorMethod: 'Gotenberg-Webhook-Error-Method',
  headers: 'Gotenberg-Webhook-Extra-Http-Headers',
};
export function isGotenbergOn({ config: { compat } }: CompatState): boolean {
  return compat.includes('gotenberg');
}

/** HTTP Basic, as clients of Gotenberg log in, or our bearer token. */
function authenticate(options: Core): RequestHandler {
  return createCredentialCheck(options, (request) => basicOf(request, options));
}

/** What all routes for forms have in common. */
export const FORM_ROUTE = {
  methods: ['POST'],
  name: 'gotenberg',
  callers: 'bearer',
  authenticate,
  right: 'capture',
  isLimited: true,
  setting: SETTING,
  isOn: isGotenbergOn,
} as const satisfies Partial<Route<CompatState>>;

/** Statuses of Gotenberg for our errors; others keep theirs. */
export const STATUSES: Readonly<Record<string, number>> = {
  DestinationNotAllowedError: 403,
  AuthenticationError: 401,
  PageRejectedError: 409,
  PageStatusError: 409,
  TimeoutError: 503,
  OverloadedError: 429,
};

/** Gotenberg's errors are text. */
export function asText(options: Options): ErrorForm {
  return ({ error_type: type, message, error_details: details, request_id: id }, status, request) => {
    const theirs =
      details === undefined ? message : theirWords(details, options).replace(/^file_name(?=:)/, OUTPUT_NAME);
    return {
      status: STATUSES[type] ?? status,
      headers: {
        [TRACE]: request.get(TRACE) ?? id,
        ...(type === 'AuthenticationError' && { 'WWW-Authenticate': 'Basic realm="capture-service"' }),
      },
      body: type === 'ValidationError' ? `Invalid form data: ${theirs}` : theirs,
    };
  };
}
