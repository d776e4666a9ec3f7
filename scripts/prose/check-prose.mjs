import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import plain from '@textlint/textlint-plugin-text';
import sentenceLength from 'textlint-rule-sentence-length';
import terminology from 'textlint-rule-terminology';
import { NAME_TERMS, TERMS } from './terms.mjs';

/** Characters of a sentence: about 35 words. Most have 20 words or fewer. */
const MAX_SENTENCE = 230;

const kernel = new TextlintKernel();
const plugins = [
  { pluginId: 'markdown', plugin: markdown.default ?? markdown },
  { pluginId: 'text', plugin: plain.default ?? plain },
];
const rules = [
  {
    ruleId: 'sentence-length',
    rule: sentenceLength.default ?? sentenceLength,
    options: { max: MAX_SENTENCE, skipPatterns: ['/`[^`]*`/', '/\\([^)]*\\)/'] },
  },
  {
    ruleId: 'terminology',
    rule: terminology.default ?? terminology,
    options: { defaultTerms: false, terms: TERMS, skip: ['Blockquote', 'Link'] },
  },
];

/** Returns the problems of a text, with their lines in it. */
export async function checkProse({ text, ext }) {
  const { messages } = await kernel.lintText(text, { filePath: `text${ext}`, ext, plugins, rules });
  return messages.map(({ line, message }) => ({ line, message }));
}

/** Returns the names that contain a private word. */
export function checkNames(names) {
  return names.flatMap(({ line, name }) => {
    const word = name.split(/(?<=[a-z\d])(?=[A-Z])|_/).find((each) => NAME_TERMS.has(each.toLowerCase()));
    if (word === undefined) return [];
    return [{ line, message: `Name ${name}: use ${NAME_TERMS.get(word.toLowerCase())} instead of ${word}` }];
  });
}
