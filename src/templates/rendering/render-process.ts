// The process of templates. A template that loops or grows ends this process instead of the service.
import { LRUCache } from 'lru-cache';
import { createWatchedCall } from '../../watched-call.ts';
import { isPreset, TemplateProblem } from '../template.ts';
import { type CheckData, createDataCheck } from './data-schema.ts';
import { createLiquidPage, type RenderPage } from './liquid-page.ts';
import type { RenderAnswer, RenderCall } from './render-calls.ts';

/** Maximum size of a rendered page. */
const MAX_PAGE_LENGTH = 10_000_000;

interface Parsed {
  readonly checkData: CheckData;
  /** Undefined for a preset. */
  readonly renderPage: RenderPage | undefined;
}

const parsed = new LRUCache<string, Parsed>({ max: 50 });

function parse(call: RenderCall): Parsed {
  const key = `${call.name} ${call.revision}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const fresh = {
    checkData: createDataCheck(call.schema ?? {}),
    renderPage: isPreset(call) ? undefined : createLiquidPage(call.sources),
  };
  parsed.set(key, fresh);
  return fresh;
}

function run(call: RenderCall): RenderAnswer {
  const { checkData, renderPage } = parse(call);
  if (call.data === undefined) return { kind: 'rendered', html: undefined };
  const data: Record<string, unknown> = JSON.parse(call.data);
  const problems = checkData(data);
  if (problems.length > 0) return { kind: 'refused', problems };
  const html = renderPage?.(data);
  if (html !== undefined && html.length > MAX_PAGE_LENGTH) {
    return { kind: 'faulty', reason: `the page has more than ${MAX_PAGE_LENGTH} characters` };
  }
  return { kind: 'rendered', html };
}

function answer(call: RenderCall): RenderAnswer {
  try {
    return run(call);
  } catch (error) {
    if (error instanceof TemplateProblem) return { kind: 'faulty', reason: error.message };
    // Other messages may contain paths of the machine.
    return { kind: 'faulty', reason: `failed (${error instanceof Error ? error.name : 'unknown error'})` };
  }
}

const watched = createWatchedCall();

function send(message: RenderAnswer): void {
  process.send?.(message);
}

process.once('disconnect', () => process.exit()); // the service has ended
process.on('message', (call: RenderCall) => {
  const answered = watched(() => answer(call), call.lastLimitMs);
  if (answered === undefined) process.exit(1);
  send(answered);
});
send({ kind: 'ready' });
