import { toFragment } from '../form/values.ts';
import { make } from '../dom.ts';
import type { Reference } from '../reference.ts';
import { SNIPPETS } from '../result/snippets.ts';
import { serviceUrl } from '../send.ts';
import { exampleCard, type ExampleCard } from './chapter-parts.ts';

const JSON_ALONE = 'JSON';

interface RouteExample {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** The body. Undefined: the route takes none. */
  readonly value?: unknown;
  readonly needsToken: boolean;
  /** True if the answer is a file. */
  readonly isFile: boolean;
}

/** The examples of the reference, all in the language that its reader chooses. */
export interface Examples {
  /** The choice of the language. */
  readonly element: HTMLElement;
  readonly ofCapture: (title: string, values: Readonly<Record<string, unknown>>) => HTMLElement;
  /** Routes besides captures are shown by curl. */
  readonly ofRoute: (example: RouteExample) => HTMLElement;
}

export function createExamples({ fields, needsToken }: Reference): Examples {
  const cards: { readonly card: ExampleCard; readonly codeOf: (language: string) => string }[] = [];
  const languages = [JSON_ALONE, ...Object.keys(SNIPPETS)];
  const choice = make('select', { id: 'language' }, ...languages.map((name) => make('option', { value: name }, name)));
  choice.addEventListener('change', () => {
    for (const { card, codeOf } of cards) card.show(codeOf(choice.value));
  });
  return {
    element: make('label', { class: 'language' }, 'Captures as', choice),
    ofCapture: (title, values) => {
      const codeOf = (language: string): string => {
        const write = Object.entries(SNIPPETS).find(([name]) => name === language)?.[1];
        const call = { endpoint: serviceUrl('capture'), values, filename: 'screenshot.png', needsToken };
        return write?.(call) ?? toJson(values);
      };
      const fragment = toFragment(values, fields);
      // Some fields are in no address, because they are secrets or run code.
      const isWhole = new URLSearchParams(fragment).size === Object.keys(values).length;
      const link = make('a', { class: 'quiet', href: `./#${fragment}` }, 'Try it');
      const card = exampleCard(title, codeOf(choice.value), ...(isWhole ? [link] : []));
      cards.push({ card, codeOf });
      return card.element;
    },
    ofRoute: (example) => exampleCard(example.title, toCurl(example)).element,
  };
}

function toCurl({ method, path, value, needsToken, isFile }: RouteExample): string {
  const address = serviceUrl(path.slice(1)).replaceAll(
    /\{(\w+)\}|%7B(\w+)%7D/g,
    (_, one, other) => `<${one ?? other}>`,
  );
  const isPlain = method === 'GET' || (method === 'POST' && value !== undefined);
  return [
    `curl --fail-with-body '${address}'`,
    ...(isPlain ? [] : [`-X ${method}`]),
    ...(needsToken ? ['--oauth2-bearer "$CAPTURE_TOKEN"'] : []),
    ...(isFile ? ['-o file'] : []),
    ...(value === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${toJson(value).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
