import { targetOf } from '../../../capture/request/options.ts';
import type { Request, Response } from 'express';
import { ServiceError } from '../../../errors.ts';
import type { CaptureAnswer } from '../../../capture/capture.ts';
import type { ParseRules } from '../parse-request.ts';
import { withoutTemplate } from '../../../capture/request/request-parser.ts';
import { draw } from '../../request/draw.ts';
import { noteError } from '../../answers/error-handler.ts';
import { holdPage } from '../../request/hold-memory.ts';
import { contextOf } from '../../request/request-context.ts';
import { cacheHeaders } from '../send-capture.ts';
import type { AppOptions } from '../route.ts';
import { linkAddress } from '../sign-route.ts';
import type { Key } from '../../../keys/key.ts';
import { createSignedLink, signingSecretOf } from '../signed-link.ts';
import type { DocumentLink } from './finished-call.ts';
import type { Content } from './content.ts';
import { captureFields, refuseFormat } from './tool-input.ts';
import type { Tool } from './tools.ts';
import { errorInWords } from './texts-for-models.ts';

type Given = Readonly<Record<string, unknown>>;

/** Result of a tool in the protocol. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly isError?: true;
}

interface Call {
  readonly tool: Tool;
  readonly given: Given;
  readonly request: Request;
  readonly response: Response;
}

type ToolOptions = ParseRules & Pick<AppOptions, 'capture' | 'usage' | 'now' | 'limits' | 'keys' | 'budgets'>;

/**
 * Runs a tool call like a request to `/capture`. Returns errors as results, because models read results, while protocol
 * errors go to their program.
 * @throws the reason of the request's signal if the client disconnected
 */
export function createCallTool({ capture, usage, now, limits, keys, budgets, ...rules }: ToolOptions) {
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

  return async ({ tool, given, request, response }: Call): Promise<ToolResult> => {
    const context = contextOf(response);
    const { summary, key } = context;
    summary.class = 'capture';
    summary.tool = tool.name;
    let captured: CaptureAnswer | undefined;
    try {
      if (context.wasRateLimited !== true) await draw(limits.capture, request, response);
      const mayLink = tool.linkTtl !== undefined;
      const fields = captureFields(tool, given);
      const requested = await rules.parseFields(given, { key, ...fields });
      refuseFormat(tool, requested);
      holdPage(response, requested.capture, budgets.bodies);
      const options = requested.capture;
      summary.format = options.format;
      summary.target = targetOf(options);
      const answer = await capture(options, context);
      captured = answer;
      const { 'X-Cache': cache, Age: age } = cacheHeaders(answer.caching, {
        nowSeconds: now(),
        signed: undefined,
      });
      summary.cache = cache;
      const content = tool.contentOf({
        options,
        answer,
        ageSeconds: age === undefined ? undefined : Number(age),
        requestId: context.id,
        link: mayLink ? await signLink(withoutTemplate(given, fields), request, key) : undefined,
        knowsLinks: request.get('MCP-Protocol-Version') !== undefined, // clients send it since version 2025-06-18
      });
      return { content };
    } catch (thrown) {
      if (captured !== undefined) await usage?.countAs('failed', key, captured);
      context.signal.throwIfAborted();
      const error = noteError(thrown, context);
      return { content: [{ type: 'text', text: errorInWords(error, context.id) }], isError: true };
    }
  };
}
