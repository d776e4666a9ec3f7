import type { Request as ExpressRequest, RequestHandler } from 'express';
import { contextOf } from '../../core/http/request/request-context.ts';
import type { Core, HandlerOptions, Route } from '../../core/http/routes/route.ts';
import { createCallTool, type McpState } from './call-tool.ts';
import { toolsOf } from './tools.ts';
import type { ErrorBody } from '../../core/http/answers/error-handler.ts';

// Error codes of JSON-RPC 2.0, section 5.1. The last one is the first that servers may define.
const [PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR] = [-32_700, -32_600, -32_000];

/** Size limit that is enough for all messages without markup. */
const SMALL_MESSAGE_BYTES = 65_536;

/**
 * Reads a large message only if the rate limit allows a capture. The message counts against the limit instead of its
 * tool call.
 */
function createMcpBodyChecks({ limits }: Pick<Core, 'limits'>): RequestHandler[] {
  return [
    (request, response, next) => {
      if (Number(request.get('Content-Length') ?? Infinity) <= SMALL_MESSAGE_BYTES) {
        next();
        return;
      }
      contextOf(response).wasRateLimited = true;
      limits.capture(request, response, next);
    },
  ];
}

/** Handles messages of the Model Context Protocol. Loads its library with the first message. */
function createMcpHandler(options: HandlerOptions & McpState): RequestHandler {
  const { config, version, sendBody } = options;
  const callTool = createCallTool(options);
  const load = async () => {
    const { createProtocol } = await import('./protocol.ts');
    const tools = toolsOf({
      signsLinks: config.urlSigningSecret !== undefined || config.keysFile !== undefined,
      hasTemplates: options.templates.areOn,
      hasWatches: options.watches !== undefined,
    });
    return createProtocol({ version, limits: config, tools });
  };
  let loading: ReturnType<typeof load> | undefined;

  return async (request, response) => {
    const { signal, log } = contextOf(response);
    const message: unknown = request.body;
    if (Array.isArray(message)) {
      // Several captures in one request would bypass the rate limit. The protocol has no batches since 2025-06-18.
      const text = 'Invalid Request: send one message in a request, not a list';
      response.status(400).json(rpcError(INVALID_REQUEST, text));
      return;
    }
    loading ??= load();
    loading.catch(() => {
      loading = undefined; // the next message tries again: files may be unreadable for a moment
    });
    const answerTo = await loading;
    const answer = await answerTo({
      request: asWebRequest(request, signal),
      message,
      log,
      signal,
      callTool: async (tool, given) => {
        const { content, isError } = await callTool({ tool, given, request, response });
        return { content: [...content], ...(isError && { isError }) };
      },
    });
    const body = Buffer.from(await answer.arrayBuffer());
    response.status(answer.status).set(Object.fromEntries(answer.headers));
    sendBody(response, body, { isKept: false });
  };
}

/** Converts an error before the message was read to the form of the protocol. `data` has the error of the API. */
function asRpcError(body: ErrorBody): { readonly body: object } {
  const code = body.error_type === 'ValidationError' ? PARSE_ERROR : SERVER_ERROR;
  const text = body.error_details === undefined ? body.message : `${body.message}: ${body.error_details}`;
  return { body: rpcError(code, text, body) };
}

function rpcError(code: number, message: string, data?: object): object {
  return { jsonrpc: '2.0', id: null, error: { code, message, ...(data && { data }) } };
}

/** Creates the request for the library, without its body, which was read and parsed within our limits. */
function asWebRequest({ method, headers, host, originalUrl }: ExpressRequest, signal: AbortSignal): Request {
  const fields = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const url = URL.parse(originalUrl, `http://${host}`) ?? new URL('http://localhost/');
  [url.username, url.password] = ['', '']; // `Request` refuses an address with a login
  return new Request(url, {
    method,
    headers: fields,
    signal,
  });
}

export const MCP_ROUTES: readonly Route<McpState>[] = [
  {
    path: '/mcp',
    methods: ['POST'], // GET and DELETE are for streams and sessions, which we don't have
    name: 'mcp',
    callers: 'bearer',
    right: 'mcp',
    // Small messages that are no tool calls are as cheap as /openapi.json. All others are counted by the handler,
    // against the rate limit of captures.
    setting: 'MCP=true',
    isOn: ({ config: { mcp } }) => mcp,
    requestHeaders: ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, checks: createMcpBodyChecks },
    errorForm: asRpcError,
    createHandler: createMcpHandler,
  },
];
