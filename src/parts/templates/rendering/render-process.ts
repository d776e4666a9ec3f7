import { LRUCache } from 'lru-cache';
import { type Call, serveCalls } from '../../../core/processes/peer-calls.ts';
import { createRegexTimeout } from '../../../core/ground/regex-timeout.ts';
import { isPreset, PAGE_FILE, type Template, TemplateProblem } from '../template.ts';
import { type CheckData, createDataCheck } from './data-schema.ts';
import { createLiquid, type RenderSource } from './liquid.ts';

// The process of templates. A template that loops or grows ends this process instead of the service.

/** Maximum size of a rendered page or attachment. */
const MAX_LENGTH = 10_000_000;

interface Parsed {
  readonly checkData: CheckData;
  readonly renderSource: RenderSource;
  readonly hasPage: boolean;
  readonly hasScripts: boolean;
  readonly characters: number;
}

/**
 * Memory for parsed templates, in characters of their sources: a fifth of the process. A larger template is parsed each
 * time.
 */
const KEPT_CHARACTERS = 12_000_000;
const TEMPLATE_CHARACTERS = 20_000; // overhead of a template in the same unit
const parsed = new LRUCache<string, Parsed>({
  maxSize: KEPT_CHARACTERS,
  sizeCalculation: ({ characters }) => characters + TEMPLATE_CHARACTERS,
});

/** Undefined if the process does not have the template, and the call does not bring it. */
function parse({ name, revision, template }: RenderCall): Parsed | undefined {
  const key = `${name} ${revision}`;
  const known = parsed.get(key);
  if (known !== undefined || template === undefined) return known;
  const { schema = {}, sources, hasScripts } = template;
  const fresh = {
    checkData: createDataCheck(schema),
    renderSource: createLiquid(sources),
    hasPage: !isPreset(template),
    hasScripts,
    characters: Object.values(sources).reduce((sum, { length }) => sum + length, 0),
  };
  parsed.set(key, fresh);
  return fresh;
}

function run(call: RenderCall): RenderAnswer {
  const found = parse(call);
  if (found === undefined) return { kind: 'unknown' };
  const { checkData, renderSource, hasPage, hasScripts } = found;
  const { source = PAGE_FILE } = call;
  if (call.data === undefined) return { kind: 'rendered', text: undefined };
  const data: Record<string, unknown> = JSON.parse(call.data);
  const problems = checkData(data);
  if (problems.length > 0) return { kind: 'refused', problems };
  if (call.checksOnly || (source === PAGE_FILE && !hasPage)) return { kind: 'rendered', text: undefined };
  const text = renderSource(source, data);
  if (text.length > MAX_LENGTH) return { kind: 'faulty', reason: `${source} has more than ${MAX_LENGTH} characters` };
  return { kind: 'rendered', text: source === PAGE_FILE ? finishPage(text, hasScripts) : text };
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

const watched = createRegexTimeout();

serveCalls({
  run: ({ args: [call] }: Call<[RenderCall?]>) => {
    if (call === undefined) return undefined; // only asks whether the process has started
    return watched(() => answer(call), call.lastLimitMs) ?? process.exit(1);
  },
});

/** `html_content` may not be empty, but a template may have nothing to show. */
const EMPTY_PAGE = '\n';
/** Prevents scripts in the values of `data` from running, wherever the template inserts them. */
const NO_SCRIPTS = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;

/** Returns the page as it is captured: with a policy against scripts, unless the template has scripts of its own. */
function finishPage(html: string, hasScripts: boolean): string {
  if (hasScripts) return html === '' ? EMPTY_PAGE : html;
  const end = endOfDocumentType(html);
  return html.slice(0, end) + NO_SCRIPTS + html.slice(end);
}

/**
 * Returns the position after the document type, which comments may precede; 0 without one. The policy follows it,
 * because anything before it would change the layout of the page. A scan, because a regular expression tried all ways
 * to split the comments: 40 took hours.
 */
function endOfDocumentType(html: string): number {
  let at = 0;
  for (;;) {
    while (/\s/.test(html.charAt(at))) at++;
    if (!html.startsWith('<!--', at)) break;
    const end = html.indexOf('-->', at + 2); // `<!-->` is a whole comment
    if (end === -1) return 0;
    at = end + 3;
  }
  return /^<!doctype/i.test(html.slice(at, at + 9)) ? html.indexOf('>', at) + 1 : 0;
}

/** A call of the render process. */
export interface RenderCall extends Pick<Template, 'name' | 'revision'> {
  /** Undefined if an earlier call has sent it. */
  readonly template: Pick<Template, 'sources' | 'schema' | 'hasScripts'> | undefined;
  /** Data of the request as JSON. Undefined: only checks the template. */
  readonly data: string | undefined;
  /** Source to render. Undefined: the page. */
  readonly source: string | undefined;
  /** True: checks the data, and renders nothing. */
  readonly checksOnly: boolean;
  /**
   * Time limit in milliseconds after which the process ends itself, because the service, which ends it earlier, must
   * have been killed.
   */
  readonly lastLimitMs: number;
}

/** Answer of the render process. */
export type RenderAnswer =
  /** `text` is undefined for a preset, and after a check. */
  | { readonly kind: 'rendered'; readonly text: string | undefined }
  /** The data does not match the schema. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** The template has a fault. */
  | { readonly kind: 'faulty'; readonly reason: string }
  /** The process does not have the template any more. */
  | { readonly kind: 'unknown' };
