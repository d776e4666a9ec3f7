/** A part of a text: a word, or a piece of a long one, with the white space around it. */
export interface JudgedPart {
  readonly text: string;
  /** Where its letters begin and end in the whole text. */
  readonly start: number;
  readonly stop: number;
  /** Whether a person can see it. Undefined: its pixels were not checked. */
  isSeen?: boolean;
}

/** A text that pixels judge. */
export interface JudgedText {
  readonly text: string;
  readonly parts: readonly JudgedPart[];
}

/** Returns a text in parts that are judged one by one. */
export function partsOf(text: string): readonly JudgedPart[] {
  return [...text.matchAll(/\s*(\S{1,20})\s*/gu)].map((match) => {
    const [whole, letters = ''] = match;
    const start = match.index + whole.indexOf(letters);
    return { text: whole, start, stop: start + letters.length };
  });
}

/** Keeps what pixels say about the texts of this document. Runs in the page. */
export function keepVerdicts(verdicts: ReadonlyMap<Node, JudgedText>): void {
  Object.assign(globalThis, { captureVerdicts: verdicts });
}

/** Returns what pixels say about a text. Undefined if they were not asked. Runs in the page. */
export function verdictOf(node: Node, text: string): readonly JudgedPart[] | undefined {
  const verdicts: unknown = Reflect.get(globalThis, 'captureVerdicts');
  const judged: JudgedText | undefined = verdicts instanceof Map ? verdicts.get(node) : undefined;
  return judged?.text === text ? judged.parts : undefined; // a script may have changed it since
}
