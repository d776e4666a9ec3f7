import { make } from '../dom.ts';
import type { Captured } from '../send.ts';
import { createTabs } from '../tabs.ts';
import { source } from './source.ts';

interface Preview {
  readonly content: HTMLElement;
  readonly links: readonly string[];
  readonly actions: readonly HTMLElement[];
}

type ShowFile = (file: Captured) => Promise<Preview>;

interface Data {
  readonly file: { readonly content_type: string; readonly base64?: string };
  readonly [part: string]: unknown;
}

/** Members of an answer that are not shown, because the headers have them as well. */
const FACTS: ReadonlySet<string> = new Set(['request_id', 'target', 'file', 'warnings', 'timings']);

/** Shows a JSON answer: the file, and a tab for each part. */
export async function createDataPreview(
  { body, filename }: Pick<Captured, 'body' | 'filename'>,
  title: string,
  showFile: ShowFile,
): Promise<Preview> {
  const data: Data = JSON.parse(await body.text());
  const [type = ''] = data.file.content_type.split(';');
  const { base64 } = data.file;
  const file =
    base64 === undefined
      ? { content: source(textOf(data.file)), links: [] } // the file is stored and available by its link
      : await showFile({ body: bytesOf(base64), type, filename, header: () => undefined });
  const parts = Object.entries(data).filter(([name]) => !FACTS.has(name));
  const link = URL.createObjectURL(new Blob([body], { type: 'application/octet-stream' }));
  const download = make('a', { class: 'button', href: link, download: filename }, 'Download');
  const panel = make('div', { id: 'data-panel', role: 'tabpanel', 'aria-label': 'Answer' });
  const show = (name: string): void => {
    const part = parts.find(([each]) => each === name);
    panel.replaceChildren(part === undefined ? file.content : (picturesOf(part[1], title) ?? source(textOf(part[1]))));
  };
  const names = ['file', ...parts.map(([name]) => name)];
  const first = parts.find(([, part]) => picturesOf(part, title) !== undefined)?.[0] ?? 'file';
  const tabs = createTabs({
    label: 'Parts of the answer',
    names,
    panel: 'data-panel',
    selected: first,
    onSelect: show,
  });
  show(first);
  return {
    content: make('div', { class: 'data' }, tabs.element, panel),
    links: [link, ...file.links],
    actions: [download],
  };
}

/** Shows the pictures of `selector_each`, one below the other. Undefined for other parts. */
function picturesOf(part: unknown, title: string): HTMLElement | undefined {
  const elements: readonly { readonly content_type?: unknown; readonly base64?: unknown }[] = Array.isArray(part)
    ? part
    : [];
  const pictures = elements.flatMap(({ content_type: type, base64 }, index) =>
    typeof type === 'string' && type.startsWith('image/') && typeof base64 === 'string'
      ? [
          make('img', {
            class: 'picture',
            src: `data:${type};base64,${base64}`,
            alt: `Element ${index + 1} of ${title}`,
          }),
        ]
      : [],
  );
  return pictures.length === 0 ? undefined : make('div', { class: 'paper several' }, ...pictures);
}

function bytesOf(base64: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]);
}

/** Shows text parts as they are, and other parts as JSON. */
function textOf(part: unknown): string {
  if (typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string') return part.text;
  return JSON.stringify(part, null, 2);
}
