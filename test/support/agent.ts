import {
  type CallToolResult,
  Client,
  isCallToolResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

/** Protocol versions: the one before sessions became optional, and the first without them. */
export const PROTOCOL_VERSIONS = ['2025-06-18', '2026-07-28'] as const;

interface AgentOptions {
  /** Protocol version; undefined uses the default of the client. */
  readonly version?: (typeof PROTOCOL_VERSIONS)[number];
  readonly token?: string;
}

/** The official client of the Model Context Protocol. The caller disposes of it, which aborts pending calls. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  readonly version: string | undefined;
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<CallToolResult>;
}

/** Connects the client to `/mcp` of the service at `base`. */
export async function connectAgent(base: string, { version, token }: AgentOptions = {}): Promise<Agent> {
  const isModern = version === '2026-07-28';
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      ...(version !== undefined && !isModern && { supportedProtocolVersions: [version] }),
      ...(isModern && { versionNegotiation: { mode: { pin: version } } }),
    },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', base), {
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    }),
  );
  return {
    client,
    version: client.getNegotiatedProtocolVersion(),
    call: async (name, args, options = {}) => {
      const result = await client.callTool({ name, arguments: args }, options);
      if (!isCallToolResult(result)) throw new Error('The tool gives no result');
      return result;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Returns all text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
