import { ScriptEndedError } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';
import { LIMIT_MS } from '../../time-limits.ts';
import { findVisible } from '../../steps/common/element.ts';
import { isWarningCode, type WarningCode } from '../../steps/common/step.ts';
import type { Format, RenderOptions } from '../formats/format.ts';
import { PART_LENGTH, readSource } from '../formats/read-source.ts';
import { haveChanged } from './in-page/have-changed.ts';
import { takeParts, type PartsTaken } from './in-page/take-parts.ts';
import { watchChanges } from './in-page/watch-changes.ts';
import { rootsOf } from '../../steps/in-page/roots-of.ts';
import { keepElement } from '../markdown/in-page/keep-element.ts';
import { sourcePart } from '../../steps/in-page/source-part.ts';
import type { DataOptions } from './data-fields.ts';
import { PART_NAMES, type PartName, PARTS } from './index.ts';
import { createMask, type SecretFields } from './secrets.ts';

/** The parts of a JSON answer. */
export interface Parts {
  /** Members of a JSON object, separated by commas. Empty if no part is requested. */
  readonly members: Buffer;
  readonly warnings: readonly WarningCode[];
}

/** Reads the parts of one capture. */
export interface PartsReader {
  /** Starts listening on the blank page. */
  readonly listen: () => Promise<void>;
  /** Reads the parts and renders the file. Page time is stopped as far as possible. */
  readonly readBeside: <T>(render: () => Promise<T>) => Promise<{ readonly file: T; readonly parts: Parts }>;
}

/** Creates a reader. Undefined if the request includes no parts. */
export function createPartsReader(
  page: Page,
  options: DataOptions & RenderOptions & SecretFields,
  { format, maxResultBytes }: { readonly format: Format; readonly maxResultBytes: number },
): PartsReader | undefined {
  if (options.response_type === 'file') return undefined;
  const names = PART_NAMES.filter((name) => options.include?.includes(name));
  const mask = createMask(options);
  const recorders = new Map<PartName, () => object>();
  const isOfDocument = names.some(
    (name) => PARTS[name].script !== undefined || PARTS[name].query !== undefined,
  );

  const query = async (): Promise<readonly Buffer[]> => {
    const answers: Buffer[] = [];
    for (const name of names) {
      const answer = await PARTS[name].query?.(page, mask);
      if (answer !== undefined) answers.push(member(name, answer));
    }
    return answers;
  };

  /** Runs with the page paused, and watches for changes that happen anyway. */
  const besideDocument: PartsReader['readBeside'] = async (render) => {
    const letGo = format.needsTime === true ? undefined : await page.clock.hold();
    let timer: NodeJS.Timeout | undefined;
    try {
      await page.evaluate(watchChanges, rootsOf);
      const { members, warnings } = await readInPage(page, { names, options, maxResultBytes });
      const queried = await query();
      timer = letGo && setTimeout(letGo, LIMIT_MS.heldPicture);
      const file = await render();
      const hasChanged = await page.evaluate(haveChanged);
      return {
        file,
        parts: {
          members: joined([members, ...queried]),
          warnings: hasChanged ? [...warnings, 'parts_differ'] : warnings,
        },
      };
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
      const file = isOfDocument ? await besideDocument(render) : { file: await render(), parts: NOTHING };
      if (recorders.size > 0) await page.receivePendingEvents();
      const recorded = [...recorders].map(([name, readOut]) => member(name, readOut()));
      const members = joined([file.parts.members, ...recorded]);
      return { ...file, parts: { ...file.parts, members } };
    },
  };
}

interface InPage {
  readonly names: readonly PartName[];
  readonly options: DataOptions & RenderOptions;
  readonly maxResultBytes: number;
}

/** Reads all parts that scripts read in the page. */
async function readInPage(page: Page, { names, options, maxResultBytes }: InPage): Promise<Parts> {
  if (names.every((name) => PARTS[name].script === undefined)) return NOTHING;
  const taken = await takeInPage(page, { names, options, isPlain: false }).catch(async (error: unknown) => {
    if (!(error instanceof ScriptEndedError)) throw error;
    return await takeInPage(page, { names, options, isPlain: true });
  });
  return {
    members: await readSource(page, taken, maxResultBytes),
    warnings: taken.warnings.filter(isWarningCode),
  };
}

/** Runs the scripts of all parts in one task of the page, so that they are consistent. */
async function takeInPage(
  page: Page,
  { names, options, isPlain }: Omit<InPage, 'maxResultBytes'> & { readonly isPlain: boolean },
): Promise<PartsTaken> {
  const isOfElement = names.some((name) => name === 'html' || name === 'markdown');
  if (isOfElement && options.selector !== undefined)
    await page.callOn((await findVisible(page, options.selector)).handle, keepElement);
  const scripts = await Promise.all(
    names.map(async (name) => {
      const script = await PARTS[name].script?.(options, { isPlain });
      return script === undefined ? [] : [`${JSON.stringify(name)}: ${script}`];
    }),
  );
  const expression = `({ ${scripts.flat().join(', ')} })`;
  return await page.evaluateWith(
    { expression, limitMs: LIMIT_MS.convert },
    takeParts,
    PART_LENGTH,
    sourcePart,
  );
}

const NOTHING: Parts = { members: Buffer.alloc(0), warnings: [] };

function member(name: PartName, value: object): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

function joined(members: readonly Buffer[]): Buffer {
  const some = members.filter(({ length }) => length > 0);
  return Buffer.concat(some.flatMap((each, index) => (index === 0 ? [each] : [Buffer.from(','), each])));
}
