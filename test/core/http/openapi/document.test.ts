import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { captureSchema, FIELD_NAMES } from '../../../../src/core/capture/request/options.ts';
import { parseOptions } from '../../../../src/core/capture/request/parse-options.ts';
import { WARNINGS } from '../../../../src/core/steps/common/step.ts';
import { ERROR_CATALOGUE } from '../../../../src/core/ground/errors.ts';
import { FORMATS } from '../../../../src/core/capture/request/formats.ts';
import { ROUTES } from '../../../../src/list.ts';
import { createOpenApi } from '../../../../src/core/http/openapi/document.ts';
import { CAPTURE_EXAMPLES, fieldSchemas } from '../../../../src/core/http/routes/capture-operations.ts';
import { RESPONSE_HEADERS } from '../../../../src/core/http/answers/response-headers.ts';
import { appWith } from '../../../support/app.ts';

const MAX_WAIT_MS = 60_000;
const openApi = createOpenApi({ routes: ROUTES, version: '1.2.3', keys: { isRequired: true }, maxWaitMs: MAX_WAIT_MS });
const text = JSON.stringify(openApi);
const fields = fieldSchemas({ maxWaitMs: MAX_WAIT_MS });
const { '/capture': capturePath = {}, '/sign': signPath = {} } = openApi.paths;

describe('createOpenApi', () => {
  it('creates a document that an independent validator accepts as OpenAPI 3.1', async () => {
    const validator = new Validator();

    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('creates schemas that an independent validator can compile', () => {
    const ajv = new Ajv2020({
      strict: true,
      strictRequired: false,
      formats: { 'date-time': true, uri: true },
    });
    ajv.addVocabulary(['x-accepts', 'x-choices', 'x-group', 'x-sensitive']);
    const schema = { $id: 'openapi', components: openApi.components };
    ajv.addVocabulary(['components']);
    ajv.addSchema(schema);

    for (const name of Object.keys(openApi.components.schemas)) {
      expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` })).not.toThrow();
    }
  });

  it.each(FIELD_NAMES)('documents the field %s in the body and as a query parameter', (name) => {
    const field = fields[name] ?? {};
    const parameters = JSON.stringify(capturePath['get']?.['parameters']);

    expect(field['description']).toEqual(expect.any(String));
    expect(field['examples']).toEqual([expect.anything(), ...[field['examples']].flat().slice(1)]);
    expect(field['x-group']).not.toBe('more');
    expect(parameters).toContain(`"name":"${name}","in":"query","description":`);
    expect(openApi.components.schemas['CaptureRequest']?.['properties']).toHaveProperty(name, field);
  });

  it('has the defaults and ranges of the parser', () => {
    const { capture, delivery } = parseOptions({ url: 'https://example.com/' }, { maxWaitMs: 5_000 });
    const { url: _url, ...defaults } = { ...capture, ...delivery };
    const documented = Object.entries(fieldSchemas({ maxWaitMs: 5_000 })).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    );

    expect(Object.fromEntries(documented)).toEqual(defaults);
    expect(fields['wait_for_timeout']).toMatchObject({ minimum: 1, maximum: MAX_WAIT_MS });
    expect(fields['pixel_density']).toMatchObject({ minimum: 0.1, maximum: 5 });
    expect(fields['custom_headers']).toMatchObject({ 'x-sensitive': true });
  });

  it.each(Object.entries(CAPTURE_EXAMPLES))('has a valid example: %s', (_name, { value }) => {
    expect(captureSchema.safeParse(value)).toMatchObject({ success: true });
    expect(() => parseOptions(value, { maxWaitMs: MAX_WAIT_MS })).not.toThrow();
  });

  it.each(Object.entries(ERROR_CATALOGUE))('documents %s', (type, row) => {
    const statuses = 'otherStatus' in row ? [row.status, row.otherStatus] : [row.status];
    const jobs = openApi.paths['/jobs/{id}/result']?.['get'];
    const ofJobs: Partial<Record<string, typeof jobs>> = {
      JobNotFinishedError: jobs,
      JobExpiredError: jobs,
      IdempotencyError: openApi.paths['/jobs']?.['post'],
    };
    const responses = (ofJobs[type] ?? capturePath['post'])?.responses ?? {};

    expect(text).toContain(JSON.stringify({ const: type, description: row.when }));
    for (const status of type === 'NotFoundError' ? [] : statuses) {
      expect(responses[status]?.content['application/json']?.['examples']).toHaveProperty(type);
    }
  });

  it.each(RESPONSE_HEADERS.filter(({ name }) => name !== 'Content-Type'))(
    'documents the header $name',
    ({ name, meaning }) => {
      const path = name === 'Location' ? openApi.paths['/jobs'] : capturePath;
      const responses = Object.values(path?.['post']?.responses ?? {});

      expect(openApi.components.headers[name]?.['description']).toContain(meaning);
      expect(responses.filter(({ headers }) => name in headers).length).toBeGreaterThan(0);
    },
  );

  it('documents every format, every warning and both authentication methods', () => {
    const { content } = capturePath['post']?.responses['200'] ?? {};

    const ofFormats = Object.values(FORMATS).map(({ mimeType }) => mimeType.split(';')[0]);
    expect(Object.keys(content ?? {})).toEqual([...new Set(ofFormats), 'application/json']);
    for (const code of Object.keys(WARNINGS)) expect(text).toContain(`{"const":"${code}","description":`);
    expect(openApi.components.securitySchemes).toMatchObject({
      bearer: { scheme: 'bearer' },
      signature: { in: 'query' },
    });
    expect(capturePath['post']?.['security']).toEqual([{ bearer: [] }, { signature: [] }]);
    expect(signPath['post']?.['security']).toEqual([{ bearer: [] }]);
  });

  it('documents that no credentials are required without AUTH_TOKEN', () => {
    const { paths } = createOpenApi({ routes: ROUTES, version: '1', keys: { isRequired: false }, maxWaitMs: 1 });

    expect(paths['/capture']?.['get']?.['security']).toContainEqual({});
    expect(paths['/sign']?.['post']?.['security']).toContainEqual({});
  });
});

describe('GET /openapi.json', () => {
  it('requires no credentials and reveals none', async () => {
    const answer = await request(appWith({ authToken: 'only-ours', urlSigningSecret: 'only-ours' })).get(
      '/openapi.json',
    );

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ openapi: '3.1.1', info: { version: '0.0.0' } });
    expect(answer.text).not.toContain('only-ours');
  });

  it('is read-only', async () => {
    const answer = await request(appWith()).post('/openapi.json');

    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});
