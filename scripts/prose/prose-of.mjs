import { parseSync, Visitor } from 'oxc-parser';

/** Shorter strings are names and keys, not sentences. */
const LEAST_WORDS = 4;
const DIRECTIVE = /^\s*(?:eslint|oxlint|@ts-|#|v8 ignore)/;

/** Returns the comments of a source file, and its strings of several words, each with its line. */
export function proseOf(file, source) {
  const { comments, program } = parseSync(file, source);
  const lineAt = (offset) => source.slice(0, offset).split('\n').length;
  const passages = merged(comments, source)
    .filter(({ text }) => !DIRECTIVE.test(text))
    .map(({ start, text }) => ({ line: lineAt(start), ext: '.txt', text }));

  const add = (start, text) => {
    if (isSentence(text)) passages.push({ line: lineAt(start), ext: '.txt', text });
  };
  new Visitor({
    Literal: ({ start, value }) => typeof value === 'string' && add(start, value),
    TemplateElement: ({ start, value }) => add(start, value.cooked ?? value.raw),
  }).visit(program);
  return passages;
}

/** Joins line comments that follow each other, and removes the stars of block comments. */
function merged(comments, source) {
  const blocks = [];
  for (const { type, value, start, end } of comments) {
    const last = blocks.at(-1);
    const text = type === 'Block' ? value.replaceAll(/^\s*\*+ ?/gm, '').trim() : value.trim();
    const isNext =
      type === 'Line' && last?.type === 'Line' && /^\s*\n?\s*$/.test(source.slice(last.end, start));
    if (isNext) Object.assign(last, { text: `${last.text}\n${text}`, end });
    else blocks.push({ type, text, start, end });
  }
  return blocks;
}

/** True for words of a person. False for code, markup, patterns and data. */
function isSentence(text) {
  const words = text.split(/\s+/).filter((word) => /^[A-Za-z][a-z']*[.,:;?!]?$/.test(word));
  return words.length >= LEAST_WORDS && /[.,:;A-Z]/.test(text) && !/[<>{}=$\\]|https?:/.test(text);
}
