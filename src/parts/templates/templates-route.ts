import type { RequestHandler } from 'express';
import { withoutLogin } from '../../core/egress/url-login.ts';
import { NEVER_IN_LINKS } from '../../core/capture/request/sensitive-fields.ts';
import { isPreset, type Template } from './template.ts';
import type { TemplatesState } from './templates.ts';
import { contextOf } from '../../core/http/request/request-context.ts';
import {
  type JsonSchema,
  jsonAnswer,
  LIST_ERRORS,
  object,
  type Operation,
  reference,
} from '../../core/http/routes/operation.ts';
import type { Route } from '../../core/http/routes/route.ts';

/** Fields of the operator that may contain secrets. Their values are not shown. */
const SECRET_FIELDS = new Set([
  'actions',
  'cookies',
  'custom_headers',
  'custom_js',
  'http_auth',
  'init_script',
  'storage_state',
  'wait_for_function',
  ...NEVER_IN_LINKS,
]);
const NOT_SHOWN = '(not shown)';

/** Handles `GET /templates`: the templates that the key of the request may use. */
function createTemplatesHandler({ templates }: TemplatesState): RequestHandler {
  return (_request, response) => {
    response.json({ templates: templates.list(contextOf(response).key).map(viewOf) });
  };
}

function viewOf(template: Template): object {
  const { name, fields, isLocked, schema } = template;
  const shown = Object.entries(fields).map(([field, value]) => [field, shownValue(field, value)] as const);
  return {
    name,
    kind: isPreset(template) ? 'preset' : 'page',
    locked: isLocked,
    fields: Object.fromEntries(shown),
    ...(schema !== undefined && { data: schema }),
  };
}

function shownValue(field: string, value: unknown): unknown {
  if (SECRET_FIELDS.has(field)) return NOT_SHOWN;
  return field === 'url' && typeof value === 'string' ? withoutSecrets(value) : value;
}

/** Removes the login and the query, which may have a token. */
function withoutSecrets(address: string): string {
  const url = URL.parse(withoutLogin(address));
  if (url === null || url.search === '') return withoutLogin(address);
  url.search = '';
  return `${url.href}?${NOT_SHOWN}`;
}

const TEMPLATES_OPERATION: Operation = {
  operationId: 'listTemplates',
  tag: 'Capture',
  summary: 'List templates',
  description:
    'Lists the templates of `TEMPLATES_DIR` that the key may use. Without `TEMPLATES_DIR`, the list is empty.',
  answers: { 200: jsonAnswer('The templates', reference('TemplateList')) },
  errors: LIST_ERRORS,
};

/** Schemas of `GET /templates`. */
function templateSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    Template: object(
      {
        name: { type: 'string', description: 'Value of the field `template`' },
        kind: {
          type: 'string',
          enum: ['page', 'preset'],
          description: '`page`: the template has its own page. `preset`: the request brings `url` or `html_content`',
        },
        locked: { type: 'boolean', description: 'True if a request may set no other fields' },
        fields: {
          type: 'object',
          description: 'Defaults of the request fields. Values that may be secrets are not shown',
          additionalProperties: true,
        },
        data: {
          type: 'object',
          description: 'JSON Schema of the field `data`. Missing: any object',
          additionalProperties: true,
        },
      },
      ['data'],
    ),
    TemplateList: object({ templates: { type: 'array', items: reference('Template') } }),
  };
}

export const TEMPLATE_ROUTES: readonly Route<TemplatesState>[] = [
  {
    path: '/templates',
    methods: ['GET', 'HEAD'],
    name: 'templates',
    callers: 'bearer',
    right: 'capture',
    createHandler: createTemplatesHandler,
    operations: { get: TEMPLATES_OPERATION },
    schemas: templateSchemas,
  },
];
