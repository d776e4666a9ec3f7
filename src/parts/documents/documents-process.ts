// Child process that assembles, splits and changes documents. It holds one assembled document.
import { type Call, serveCalls } from '../../core/processes/peer-calls.ts';
import { loadPdfium } from '../../features/pdf-reader/pdfium.ts';
import { ArchiveError } from './assembly/archive.ts';
import { assemble, type Assembled, type AssemblyWarning } from './assembly/assemble.ts';
import { removeScripts } from './assembly/catalog-parts.ts';
import { stampSignatures } from './assembly/form/forms.ts';
import { readFacts, writeFacts } from './assembly/facts.ts';
import { finish, save } from './assembly/finish.ts';
import { flatten } from './assembly/flatten.ts';
import { drawOver } from './assembly/overlay.ts';
import { PartError } from './assembly/part-error.ts';
import { openSource, type SourceDocument, withAppearances, writePageTree } from './assembly/source-document.ts';
import { split } from './assembly/split.ts';
import type { DocumentsAnswer, DocumentsWork, GivenPart } from './documents-work.ts';

const loading = loadPdfium();
let held: Assembled | undefined;

const WORK: DocumentsWork = {
  assemble: async (parts, outline) => {
    const pdfium = await loading;
    held = undefined;
    const opened: (Pick<GivenPart, 'pages' | 'rotate' | 'title'> & {
      source: Awaited<ReturnType<typeof openSource>>;
    })[] = [];
    for (const [index, { file, ...options }] of parts.entries())
      opened.push({ ...options, source: await openSource(pdfium, file, index) });
    held = await assemble(opened, outline);
    const { pages, warnings, claims } = held;
    return { sizes: pages.map(({ width, height }) => ({ width, height })), warnings, claims };
  },
  finish: async (finishing, overlay) => {
    if (held === undefined) throw new Error('no document is assembled');
    const { document, pages } = held;
    held = undefined;
    if (overlay !== undefined)
      drawOver(
        document,
        pages.map(({ ref }) => ref),
        await openSource(await loading, { body: overlay }),
      );
    return await finish(document, finishing);
  },
  split: async (file, pieces) => await split(await openSource(await loading, file), pieces),
  facts: async (file) => readFacts(await openSource(await loading, file)),
  write: async (file, facts) => {
    const source = await openSource(await loading, file);
    const warnings = withoutLiveParts(source);
    writePageTree(source);
    writeFacts(source.document, facts);
    return { body: await save(source.document), warnings };
  },
  flatten: async (file) => {
    const pdfium = await loading;
    const source = await openSource(pdfium, { body: withAppearances(pdfium, file) });
    const warnings = withoutLiveParts(source);
    flatten(source);
    writePageTree(source);
    return { body: await save(source.document), warnings };
  },
};

/** Removes what would break, or run, in a document that was changed. */
function withoutLiveParts(source: SourceDocument): readonly AssemblyWarning[] {
  const hadSignatures = stampSignatures(source);
  const hadScripts = removeScripts(source);
  return [
    ...(hadSignatures ? (['pdf_signatures_removed'] as const) : []),
    ...(hadScripts ? (['pdf_scripts_removed'] as const) : []),
  ];
}

/** Errors lose their class on the way to the caller, so a problem of a part is a value. */
async function answered(work: Promise<unknown>): Promise<DocumentsAnswer<unknown>> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof PartError) return { part: error.part, problem: error.problem };
    if (error instanceof ArchiveError) return { rejection: error.message };
    throw error;
  }
}

serveCalls({
  run: async ({ name, args }: Call) => {
    const work: unknown = Reflect.get(WORK, name);
    if (typeof work !== 'function') throw new Error(`unknown work: ${name}`);
    return await answered(Promise.resolve(Reflect.apply(work, undefined, args)));
  },
});
