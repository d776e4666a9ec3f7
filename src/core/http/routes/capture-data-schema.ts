import { z } from 'zod';
import { MOST_EACH } from '../../steps/area.ts';
import { WARNINGS } from '../../steps/common/step.ts';
import { PHASES } from '../../steps/common/stopwatch.ts';
import { features } from '../../capture/request/options.ts';
import { type JsonSchema, object } from './operation.ts';

/** Schema of the answer to `response_type=json`, with the parts of all features. */
export function captureDataSchema(): JsonSchema {
  const text = { type: 'string' };
  const all = features.flatMap(({ parts = {} }) => Object.entries(parts));
  const parts = all.map(([name, part]): [string, JsonSchema] => {
    const { $schema: _, ...schema } = z.toJSONSchema(part.schema);
    return [name, { ...schema, description: part.description }];
  });
  return {
    ...object(
      {
        request_id: {
          ...text,
          description: 'Id of the request that made the capture; for cached captures, not of this answer',
        },
        target: object({
          url: { anyOf: [text, { type: 'null' }], description: 'Final URL after redirects' },
          status: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        }),
        file: object(
          {
            content_type: text,
            bytes: { type: 'integer' },
            sha256: { ...text, description: 'In hexadecimal digits' },
            width: { type: 'integer', description: 'Pixels; pictures only' },
            height: { type: 'integer', description: 'Pixels; pictures only' },
            base64: { ...text, contentEncoding: 'base64' },
            url: {
              ...text,
              format: 'uri',
              description: 'With `store`, instead of `base64`: a link to the file',
            },
            expires_at: { ...text, format: 'date-time', description: 'Expiry of the link' },
            path: { ...text, description: 'Path in the storage' },
          },
          ['width', 'height', 'base64', 'url', 'expires_at', 'path'],
        ),
        elements: {
          type: 'array',
          maxItems: MOST_EACH,
          description:
            'With `selector_each`: the pictures, with their places on the page. `file` describes all of them, without content',
          items: object(
            {
              ...Object.fromEntries(
                ['x', 'y', 'width', 'height'].map((name) => [name, { type: 'number', description: 'CSS pixels' }]),
              ),
              content_type: text,
              bytes: { type: 'integer' },
              base64: { ...text, contentEncoding: 'base64' },
              url: { ...text, format: 'uri', description: 'With `store`, instead of `base64`: a link to the file' },
              expires_at: { ...text, format: 'date-time', description: 'Expiry of the link' },
              path: { ...text, description: 'Path in the storage' },
            },
            ['base64', 'url', 'expires_at', 'path'],
          ),
        },
        ...Object.fromEntries(parts),
        digest: { ...text, description: 'With `reproducible`: the header `X-Capture-Digest`' },
        warnings: { type: 'array', items: { enum: Object.keys(WARNINGS) } },
        timings: object(
          Object.fromEntries(PHASES.map((phase) => [phase, { type: 'number', description: 'Milliseconds' }])),
        ),
      },
      ['elements', 'digest', ...all.map(([name]) => name)],
    ),
    description: 'A capture as JSON: the file and the parts of `include`, of the same moment',
  };
}
