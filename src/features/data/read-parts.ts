import { ScriptEndedError } from '../../core/browser/browser-errors.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { chooseVisible } from '../../core/steps/common/element.ts';
import { isWarningCode } from '../../core/steps/common/step.ts';
import type { Format } from '../../core/capture/formats/format.ts';
import { PART_LENGTH, readSource } from '../../core/capture/formats/read-source.ts';
import { takeParts, type PartsTaken } from './in-page/take-parts.ts';
import { haveChanged, watchChanges } from './in-page/watch-changes.ts';
import { judgeVisibility } from '../markdown/judge-visibility.ts';
import type { Companion, Parts, PartsRead } from '../../core/feature.ts';
import { type DataOptions, PART_NAMES, type PartName, PARTS } from './index.ts';

import type { PartOptions } from './answer-part.ts';
import { createMask, type SecretFields } from './secrets.ts';

const NOTHING: PartsRead = { texts: new Map(), warnings: [] };

/** Creates the reader of the parts that the options include. */
export function createPartsReader(
  page: Page,
  options: DataOptions & PartOptions & SecretFields,
  {
    format,
    maxResultBytes,
  }: { readonly format: Pick<Format, 'needsTime'> & { readonly paper?: unknown }; readonly maxResultBytes: number },
): Pick<Required<Companion>, 'listen' | 'readBeside'> {
  const names = PART_NAMES.filter((name) => options.include?.includes(name));
  const mask = createMask(options);
  const recorders = new Map<PartName, () => object>();
  const isOfDocument = names.some((name) => PARTS[name].script !== undefined || PARTS[name].query !== undefined);

  const query = async (): Promise<Parts> => {
    const answers = new Map<PartName, Buffer>();
    for (const name of names) {
      const answer = await PARTS[name].query?.(page, mask);
      if (answer !== undefined) answers.set(name, toText(answer));
    }
    return answers;
  };

  const readDocument = async (): Promise<PartsRead> => {
    await page.evaluate(watchChanges);
    const { texts, warnings } = await readInPage(page, { names, options, maxResultBytes });
    const queried = await query();
    return { texts: new Map([...texts, ...queried]), warnings };
  };

  /** Runs with the page paused, and watches for changes that happen anyway. */
  const besideDocument: Required<Companion>['readBeside'] = async (render) => {
    const isPrinted = format.paper !== undefined; // a page that is laid out again for its own paper needs its time
    const isStopped = format.needsTime !== true && (isOfDocument || !isPrinted);
    const letGo = isStopped ? await page.clock.hold(!isPrinted) : undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      const parts = isOfDocument ? await readDocument() : NOTHING;
      timer = letGo && setTimeout(letGo, LIMIT_MS.heldPicture);
      const file = await render();
      const hasChanged = isOfDocument && (await page.evaluate(haveChanged));
      return { file, parts: { ...parts, warnings: hasChanged ? [...parts.warnings, 'parts_differ'] : parts.warnings } };
    } finally {
      clearTimeout(timer);
      letGo?.();
    }
  };

  return {
    listen: async () => {
      await Promise.all(
        names.map(async (name) => {
          const recorded = await PARTS[name].listen?.(page, mask);
          if (recorded !== undefined) recorders.set(name, recorded);
        }),
      );
    },
    readBeside: async (render) => {
      const { file, parts } = await besideDocument(render);
      if (recorders.size > 0) await page.receivePendingEvents();
      const recorded = [...recorders].map(([name, readOut]): [PartName, Buffer] => [name, toText(readOut())]);
      return { file, parts: { ...parts, texts: new Map([...parts.texts, ...recorded]) } };
    },
  };
}

interface InPage {
  readonly names: readonly PartName[];
  readonly options: DataOptions & PartOptions;
  readonly maxResultBytes: number;
}

/** Reads all parts that scripts read in the page. */
async function readInPage(page: Page, { names: all, options, maxResultBytes }: InPage): Promise<PartsRead> {
  const names = all.filter((name) => PARTS[name].script !== undefined);
  if (names.length === 0) return NOTHING;
  const taken = await takeInPage(page, { names, options, isPlain: false }).catch(async (error: unknown) => {
    if (!(error instanceof ScriptEndedError)) throw error;
    return await takeInPage(page, { names, options, isPlain: true });
  });
  const lines = await readSource(page, taken, maxResultBytes);
  const texts = new Map<PartName, Buffer>();
  let start = 0;
  for (const name of names) {
    const end = lines.indexOf('\n', start);
    texts.set(name, lines.subarray(start, end === -1 ? undefined : end));
    start = end + 1;
  }
  return { texts, warnings: taken.warnings.filter(isWarningCode) };
}

/** Runs the scripts of all parts in one task of the page, so that they are consistent. */
async function takeInPage(
  page: Page,
  { names, options, isPlain }: Omit<InPage, 'maxResultBytes'> & { readonly isPlain: boolean },
): Promise<PartsTaken> {
  const isOfElement = names.some((name) => name === 'html' || name === 'markdown' || name === 'hidden_text');
  const { selector, selector_all } = options;
  if (isOfElement && selector !== undefined) await chooseVisible(page, { selector, selector_all });
  const readsText = names.some((name) => name === 'markdown' || name === 'hidden_text');
  if (options.visible_text && readsText && !isPlain) await judgeVisibility(page, options);
  const scripts = await Promise.all(names.map(async (name) => PARTS[name].script?.(options, { isPlain })));
  const expression = `[${scripts.join(', ')}]`;
  const bounds = { maxLength: Number.MAX_SAFE_INTEGER, partLength: PART_LENGTH };
  return await page.evaluateWith({ expression, limitMs: LIMIT_MS.convert }, takeParts, bounds);
}

function toText(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
