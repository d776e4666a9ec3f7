import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.number().optional() }),
});
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
  attributes: z.array(attribute).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});
const message = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export type ReceivedSpan = z.output<typeof span>;

/** A collector that speaks OTLP over HTTP in JSON. The caller closes it. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The base address, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** Everything received, as text, and the types of the bodies. */
  readonly text: () => string;
  readonly types: () => readonly (string | undefined)[];
}

/** @param answer replaces the answer of a collector that works */
export async function startOtlpReceiver(
  answer: (response: ServerResponse) => void = (response) => response.end('{}'),
): Promise<OtlpReceiver> {
  const bodies: Buffer[] = [];
  const types: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body);
      types.push(request.headers['content-type']);
      response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    spans: () =>
      bodies.flatMap((body) =>
        message
          .parse(JSON.parse(body.toString()))
          .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    text: () => bodies.map((body) => body.toString('latin1')).join('\n'),
    types: () => types,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
