import {
  type CallToolResult,
  Client,
  isCallToolResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

/** Of the versions of the protocol: the one before sessions could be left out, and the first without them. */
export const PROTOCOL_VERSIONS = ['2025-06-18', '2026-07-28'] as const;

interface AgentOptions {
  /** Undefined: what the client itself asks for. */
  readonly version?: (typeof PROTOCOL_VERSIONS)[number];
  readonly token?: string;
}

/** The official client of the Model Context Protocol. Whoever connects disposes of it, which aborts what it still waits for. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  readonly version: string | undefined;
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<CallToolResult>;
}

/** Connects it to `/mcp` of the service at `base`. */
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

/** All text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
