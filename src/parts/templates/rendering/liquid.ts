import { CaptureTag, type Context, Drop, Liquid, LiquidError, type Template } from 'liquidjs';
import { PAGE_FILE, TemplateProblem } from '../template.ts';
import { escapeValue, toSafeUrl, toScriptJson } from './escape.ts';

/**
 * Liquid stops itself before the process is ended, because its error names the line. It checks the time between two
 * steps only.
 */
const RENDER_LIMIT_MS = 900;
/** Characters and entries that a rendering may create. */
const MEMORY_LIMIT = 20_000_000;
const MAX_REASON_LENGTH = 300;

type Sources = Readonly<Record<string, string>>;

/** Renders a source for the data of a request. @throws TemplateProblem that names file and line */
export type RenderSource = (path: string, data: Readonly<Record<string, unknown>>) => string;

/**
 * Parses all Liquid sources of a template. Includes are looked up in the sources, so no file is read.
 * @throws TemplateProblem that names file and line
 */
export function createLiquid(sources: Sources): RenderSource {
  const engine = new Liquid({
    templates: withoutPrototype(sources),
    cache: true,
    outputEscape: (value: unknown) => (value instanceof CapturedText ? value.valueOf() : escapeValue(value)),
    ownPropertyOnly: true,
    strictFilters: true,
    locale: 'en-US',
    timezoneOffset: 0, // a date without a time would be the day before, west of Greenwich
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
  });
  engine.registerTag('capture', SafeCaptureTag);
  engine.registerFilter('money', toMoney);
  engine.registerFilter('safe_url', toSafeUrl);
  engine.registerFilter('script_json', { raw: true, handler: toScriptJson });

  for (const [path, source] of Object.entries(sources)) {
    if (path.endsWith('.liquid')) explained(path, () => engine.parse(source, path));
  }
  const parse = (path: string): Template[] => engine.parse(sources[path] ?? '', path);
  const page = explained(PAGE_FILE, () => parse(PAGE_FILE));
  return (path, data) =>
    explained(path, () => {
      const text: unknown = engine.renderSync(path === PAGE_FILE ? page : parse(path), { ...data });
      return String(text);
    });
}

/**
 * Markup of a `capture` tag, whose values are escaped already. Filters see its text, and their result is escaped again.
 */
class CapturedText extends Drop {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override valueOf(): string {
    return this.#text;
  }

  /** Read by the filter `size`. */
  get length(): number {
    return this.#text.length;
  }
}

class SafeCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context);
    const scope: Record<string, unknown> = context.bottom();
    scope[this.variable] = new CapturedText(String(scope[this.variable]));
  }
}

/** Returns a number with two decimals, in the form of a locale. */
function toMoney(value: unknown, locale: unknown = 'en-US'): string {
  return Number(value).toLocaleString(String(locale), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** Liquid looks up includes by plain property access, which would find `constructor`. */
function withoutPrototype(sources: Sources): Record<string, string> {
  return Object.assign(Object.create(null), sources);
}

function explained<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!LiquidError.is(error)) throw error;
    const place = error.token?.getPosition();
    const line = place === undefined ? '' : ` line ${place[0]}`;
    const reason = (error.originalError?.message ?? error.message).split(', file:', 1)[0] ?? '';
    throw new TemplateProblem(`${error.token?.file ?? file}${line}: ${reason.slice(0, MAX_REASON_LENGTH)}`, {
      cause: error,
    });
  }
}
