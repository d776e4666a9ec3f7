import { validationError } from '../../../core/ground/errors.ts';
import { type Fields, type Options, same } from '../convert-options.ts';
import { boolean } from '../option-values.ts';

/** Other programs write the last page as a letter or word. */
const RANGES_END = /-(?:z|end)$/;

/** What follows a capture or a merge: fields of `POST /documents`, and those of its companions. */
export const FINISHING_OPTIONS: Options = {
  flatten: same('flatten', boolean('flatten')),
  splitMode: same('mode', readSplitMode),
  splitSpan: same('span', (values) => ({ split_span: (values.at(-1) ?? '').trim().replace(RANGES_END, '-') })),
  splitUnify: same('unify', boolean('split_unify')),
};

function readSplitMode(values: readonly string[], name: string): Fields {
  const mode = values.at(-1) ?? '';
  if (mode === 'intervals' || mode === 'pages') return { split_mode: mode };
  throw validationError(
    `form field '${name}' is invalid (got '${mode.slice(0, 50)}', expected either 'intervals' or 'pages')`,
  );
}
