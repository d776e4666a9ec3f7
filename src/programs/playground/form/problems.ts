import type { CaptureError } from '../../client/capture-error.ts';

/** Error messages by field name. */
export type FieldProblems = ReadonlyMap<string, string>;

/** Errors that belong to the address field. */
const ABOUT_ADDRESS: ReadonlySet<string> = new Set(['DestinationNotAllowedError', 'NavigationError']);

const FIELD_LIST = /^([a-z_]+)(?:\[(\d+)\])?(?:\.[\w.[\]-]+)?: /;

/** Returns the fields that an error names. `error_details` has `field: message`, separated by `; `. */
export function findProblems(failure: CaptureError, names: readonly string[]): FieldProblems {
  const problems = new Map<string, string>();
  const sentences = (failure.details ?? '').split('; ');
  for (const sentence of sentences) {
    const [prefix = '', name = '', index] = FIELD_LIST.exec(sentence) ?? [];
    if (!names.includes(name)) continue;
    const problem = withStop(sentence.slice(prefix.length));
    problems.set(name, index === undefined ? problem : `No. ${Number(index) + 1}: ${problem}`);
  }
  if (problems.size > 0) return problems;

  const text = failure.details ?? failure.message;
  const named = names.find((name) => new RegExp(`\\b${name}\\b`).test(text));
  if (named !== undefined) return new Map([[named, withStop(text)]]);
  return ABOUT_ADDRESS.has(failure.errorType) ? new Map([['url', withStop(text)]]) : problems;
}

function withStop(sentence: string): string {
  const first = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
