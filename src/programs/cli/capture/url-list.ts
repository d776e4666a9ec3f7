import { resolve } from 'node:path';
import { UsageError } from '../exit.ts';
import { type CaptureRequest, isCaptureRequest } from '../../client/capture-request.ts';
import { extensionOf, fieldsFor } from '../output.ts';

/** A capture and its output file. */
export interface ListedCapture {
  readonly fields: CaptureRequest;
  /** A path, or `-` for standard output. */
  readonly output: string;
  /** True if the user has not named it: a template may give the file another type. */
  readonly isDefault?: boolean;
}

interface ListDefaults {
  /** Default fields of all captures. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Folder of relative output paths. */
  readonly folder: string;
}

/**
 * Parses a list of captures: a JSON list, or one JSON object per line. A capture has its fields and an optional
 * `output`; without it, the file is named by its position.
 * @throws UsageError that names the wrong capture, before the first is made
 */
export function parseList(text: string, defaults: ListDefaults): ListedCapture[] {
  const list = parseItems(text).map((item, index) => toCapture(item, index + 1, defaults));
  if (list.length === 0) throw new UsageError('The list is empty.');
  const outputs = new Set<string>();
  for (const { output } of list) {
    if (outputs.has(output)) throw new UsageError(`Two captures of the list have the output ${output}.`);
    outputs.add(output);
  }
  return list;
}

/** Processes items in order, with limited concurrency. An error of `work` stops it. */
export async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}

function parseItems(text: string): unknown[] {
  if (!text.trimStart().startsWith('[')) {
    const lines = text.split('\n').map((line, index) => ({ line: line.trim(), place: `line ${index + 1}` }));
    return lines.filter(({ line }) => line !== '').map(({ line, place }) => parseJson(line, place));
  }
  const list = parseJson(text, 'it');
  return Array.isArray(list) ? list : [list];
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `The list must be a JSON list, or have one JSON object per line: ${place} is not valid JSON.`,
      {
        cause: error,
      },
    );
  }
}

function toCapture(item: unknown, place: number, defaults: ListDefaults): ListedCapture {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw new UsageError(`Entry ${place} of the list is not an object with the fields of a capture.`);
  }
  const { output, ...own }: { readonly output?: unknown } = item;
  const fields: Record<string, unknown> = { ...defaults.fields, ...own };
  if (!isCaptureRequest(fields)) {
    throw new UsageError(`Entry ${place} of the list has no url, html_content, markdown_content or template.`);
  }
  if (output === undefined) {
    const name = `${place}.${extensionOf(fields)}`;
    return { fields, output: resolve(defaults.folder, name), isDefault: true };
  }
  if (typeof output !== 'string' || output === '') {
    throw new UsageError(`The output of entry ${place} of the list is not a path.`);
  }
  return { fields: fieldsFor(output, fields), output: resolve(defaults.folder, output) };
}
