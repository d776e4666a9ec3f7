import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** Shorter strings are names and keys, not sentences. */
const LEAST_WORDS = 4;
const DIRECTIVE = /^\s*(?:eslint|oxlint|@ts-|#|v8 ignore)/;
const STRINGS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);
/** A slash after one of these tokens divides. After any other token it begins a regular expression. */
const OPERAND_ENDS = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.ThisKeyword,
  SyntaxKind.NumericLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  ...STRINGS,
]);

/** Returns the comments and strings of several words of a source file, and its names, each with its line. */
export function proseOf(source) {
  const tokens = tokensOf(source);
  const names = tokens.filter(({ kind }) => kind === SyntaxKind.Identifier);
  const strings = tokens
    .filter(({ kind, value }) => STRINGS.has(kind) && isSentence(value))
    .map(({ line, value }) => ({ line, text: value }));
  const passages = [...commentsOf(tokens), ...strings].map((passage) => ({ ...passage, ext: '.txt' }));
  return { passages, names: names.map(({ line, value }) => ({ line, name: value })) };
}

/** Returns all tokens with comments and line breaks, as the compiler sees them. */
function tokensOf(source) {
  const scanner = createScanner(false, undefined, source);
  const tokens = [];
  const braces = []; // true for those that close an expression in a template string
  let line = 1;
  let last;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isSlash && !OPERAND_ENDS.has(last)) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.CloseBraceToken && braces.pop()) kind = scanner.reScanTemplateToken(false);
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true);
    tokens.push({ kind, line, value: isComment(kind) ? scanner.getTokenText() : scanner.getTokenValue() });
    line += scanner.getTokenText().split('\n').length - 1;
    if (!isTrivia(kind)) last = kind;
  }
  return tokens;
}

/** Joins line comments that follow each other, and removes the marks of comments. */
function commentsOf(tokens) {
  const comments = [];
  let isNext = false;
  for (const { kind, line, value } of tokens) {
    const isLine = kind === SyntaxKind.SingleLineCommentTrivia;
    const text = value?.replaceAll(/^\s*(?:\/\/|\/\*\*?|\*\/|\*(?!\/)) ?|\s*\*\/$/gm, '').trim();
    if (isLine && isNext) comments.at(-1).text += `\n${text}`;
    else if (isComment(kind)) comments.push({ line, text });
    if (!isTrivia(kind) || isComment(kind)) isNext = isLine;
  }
  return comments.filter(({ text }) => !DIRECTIVE.test(text));
}

function isComment(kind) {
  return kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;
}

function isTrivia(kind) {
  return isComment(kind) || kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia;
}

/** True for words of a person. False for code, markup, patterns and data. */
function isSentence(text) {
  const words = text.split(/\s+/).filter((word) => /^[A-Za-z][a-z']*[.,:;?!]?$/.test(word));
  return words.length >= LEAST_WORDS && /[.,:;A-Z]/.test(text) && !/[<>{}=$\\]|https?:/.test(text);
}
