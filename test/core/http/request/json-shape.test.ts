import { describe, expect, it } from 'vitest';
import { jsonShapeProblem } from '../../../../src/core/http/request/read-body.ts';

const TOO_DEEP = 'The body may be nested at most 32 levels deep';
const TOO_MANY = 'The body may have at most 10000 members';

describe('jsonShapeProblem', () => {
  it.each([
    ['an empty body', ''],
    ['a request', '{"url":"http://a/","full_page":true}'],
    ['32 levels', '['.repeat(32) + ']'.repeat(32)],
    ['many sibling levels', '[{}],'.repeat(5_000)],
    ['brackets in a string', JSON.stringify({ html_content: '[{'.repeat(1_000) })],
    ['commas in a string', JSON.stringify({ html_content: ','.repeat(20_000) })],
    ['quotes and backslashes in a string', JSON.stringify({ a: `${'\\"['.repeat(1_000)}\\` })],
    ['an unterminated string', `"${'['.repeat(100)}`],
    ['10,001 members', `[${'0,'.repeat(10_000)}0]`],
  ])('accepts %s', (_name, text) => {
    expect(jsonShapeProblem(Buffer.from(text))).toBeUndefined();
  });

  it.each([
    ['33 arrays', '['.repeat(33), TOO_DEEP],
    ['33 objects', '{"a":'.repeat(33), TOO_DEEP],
    ['33 levels after a string that ends in a backslash', `["\\\\",${'['.repeat(33)}`, TOO_DEEP],
    ['33 levels after an escaped quote', `["\\"",${'['.repeat(33)}`, TOO_DEEP],
    ['10,002 members', `[${'0,'.repeat(10_001)}0]`, TOO_MANY],
  ])('refuses %s', (_name, text, problem) => {
    expect(jsonShapeProblem(Buffer.from(text))).toBe(problem);
  });

  it.each([
    ['brackets', '['],
    ['commas', ','],
    ['one long string', '"'.padEnd(2, 'x')],
    ['quotes', '"'],
    ['backslashes in a string', String.raw`\\`],
  ])('treats ten megabytes of %s as one string', (_name, unit) => {
    const text = Buffer.from(`"${unit.repeat(10_000_000 / unit.length)}`);

    expect(jsonShapeProblem(text)).toBeUndefined();
  });
});
