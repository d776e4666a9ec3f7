import type { McpSettings } from './mcp-setting.ts';
import { targetOf } from '../../core/capture/request/options.ts';
import type { Request, Response } from 'express';
import { ServiceError } from '../../core/ground/errors.ts';
import { withoutTemplate } from '../../core/capture/request/request-parser.ts';
import { draw } from '../../core/http/request/draw.ts';
import { noteError } from '../../core/http/answers/error-handler.ts';
import { holdPage } from '../../core/http/request/hold-memory.ts';
import { parseBody } from '../../core/http/request/read-body.ts';
import { contextOf } from '../../core/http/request/request-context.ts';
import { compareRequest } from '../compare/routes/compare-request.ts';
import { type ComparisonState, createCompareSides } from '../compare/routes/compare-sides.ts';
import { cacheHeaders } from '../../core/http/routes/send-capture.ts';
import type { HandlerOptions } from '../../core/http/routes/route.ts';
import { linkAddress } from '../../core/http/routes/sign-route.ts';
import type { Key } from '../../core/access/key.ts';
import type { TemplatesState } from '../templates/templates.ts';
import type { WatchesState } from '../watches/watches-part.ts';
import { createReadWatches } from './read-watches.ts';
import { createSignedLink, signingSecretOf } from '../../core/http/routes/signed-link.ts';
import type { DocumentLink } from './finished-call.ts';
import { comparisonOf, type Content } from './content.ts';
import { captureFields, takeOwn, compareFields, refuseFormat } from './tool-input.ts';
import type { CaptureTool, Tool } from './tools.ts';
import { errorInWords } from './texts-for-models.ts';

type Given = Readonly<Record<string, unknown>>;

/** Result of a tool in the protocol. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly isError?: true;
}

/** What tools need besides the core. */
export type McpState = ComparisonState & TemplatesState & WatchesState & { readonly config: McpSettings };

interface Call<Called extends Tool = Tool> {
  readonly tool: Called;
  readonly given: Given;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Runs a tool call like a request to `/capture` or `/compare`. Returns errors as results, because models read results,
 * while protocol errors go to their program.
 * @throws the reason of the request's signal if the client disconnected
 */
export function createCallTool(options: HandlerOptions & McpState) {
  const captured = createCapturedContent(options);
  const compareSides = createCompareSides(options);
  const readWatches = createReadWatches(options);

  return async ({ tool, given, request, response }: Call): Promise<ToolResult> => {
    const context = contextOf(response);
    context.summary.class = 'capture';
    context.summary.tool = tool.name;
    try {
      if (context.wasRateLimited !== true && !('reads' in tool)) await draw(options.limits.capture, request, response);
      if ('reads' in tool) return { content: await readWatches({ tool, given, request, response }) };
      if ('contentOf' in tool) return { content: await captured({ tool, given, request, response }) };
      const sides = parseBody(compareRequest, compareFields(tool, given));
      return { content: comparisonOf((await compareSides(sides, request, response)).answer) };
    } catch (thrown) {
      context.signal.throwIfAborted();
      const error = noteError(thrown, context);
      return { content: [{ type: 'text', text: errorInWords(error, context.id) }], isError: true };
    }
  };
}

/** Returns a function that makes a capture, and returns what its tool says of it. */
function createCapturedContent({ budgets, capture, keys, now, ports, ...rules }: HandlerOptions) {
  const signLink = async (params: Given, request: Request, key: Key | undefined): Promise<DocumentLink | undefined> => {
    try {
      const secret = signingSecretOf(key, keys);
      const link = await createSignedLink({ params }, { key, secret, nowSeconds: now(), ...rules });
      return { url: linkAddress(request, link.query), expires: link.expires };
    } catch (error) {
      // no secret, or the options are too long for a link, or ambiguous
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  };

  return async ({ tool, given, request, response }: Call<CaptureTool>): Promise<readonly Content[]> => {
    const context = contextOf(response);
    const { summary, key } = context;
    const mayLink = tool.linkTtl !== undefined;
    const { rest, own } = takeOwn(tool, given);
    const fields = captureFields(tool, rest);
    const requested = await rules.parseFields(rest, { key, ...fields });
    refuseFormat(tool, requested);
    holdPage(response, requested.capture, budgets.bodies);
    const options = requested.capture;
    summary.format = options.format;
    summary.target = targetOf(options);
    const answer = await capture(options, context);
    try {
      const { 'X-Cache': cache, Age: age } = cacheHeaders(answer.caching, { nowSeconds: now(), signed: undefined });
      summary.cache = cache;
      return tool.contentOf({
        options,
        answer,
        own,
        ageSeconds: age === undefined ? undefined : Number(age),
        requestId: context.id,
        link: mayLink ? await signLink(withoutTemplate(rest, fields), request, key) : undefined,
        knowsLinks: request.get('MCP-Protocol-Version') !== undefined, // clients send it since version 2025-06-18
      });
    } catch (error) {
      await ports.recount('failed', key, answer);
      throw error;
    }
  };
}
