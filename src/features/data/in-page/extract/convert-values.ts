import { attribute, closest, rootElement } from '../../../../core/steps/in-page/nodes.ts';

const DIGIT_RANGES = [0x0660, 0x06f0, 0x0966, 0xff10]; // Arabic, Persian, Devanagari, full width
/** Spaces, points, commas and apostrophes between digits. */
const NUMBER = /([-+\u2212\u2013]?)(?:\p{Sc}|[A-Z]{1,3}\$?)?\s?(\d[\d.,'\u2019\u066b\u066c\s\u00a0\u202f]*)/u;

/** Returns the character before decimals in the language of an element. Runs in the page. */
export function decimalMarkOf(element: Element): string {
  const root = rootElement();
  const language = closest(element, '[lang]') ?? root;
  const name = language === null ? null : attribute(language, 'lang');
  try {
    const parts = new Intl.NumberFormat(name ?? 'en').formatToParts(1.5);
    return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
  } catch {
    return '.'; // no language
  }
}

/**
 * Returns the first number of a text, in whatever form people write it: `1.234,56 €`, `$1,234.56`, `1 234,5`. A single
 * mark before three digits is read as in the language of the page. Null if there is none. Runs in the page.
 */
export function toNumber(text: string, decimalMark: string): number | null {
  const plain = withPlainDigits(text);
  const [whole, sign = '', written = ''] = NUMBER.exec(plain) ?? [];
  if (whole === undefined) return null;
  const before = plain.slice(0, plain.indexOf(whole));
  const isNegative = sign !== '' && sign !== '+' && !/[\p{L}\d]\s?$/u.test(before);
  const digits = groupOf(written);
  const marks = [...digits.matchAll(/[.,]/g)];
  const last = marks.at(-1);
  const isDecimal = last !== undefined && isDecimalMark(digits, marks, last, decimalMark);
  const fraction = isDecimal ? digits.slice(last.index + 1) : '';
  const integer = (isDecimal ? digits.slice(0, last.index) : digits).replaceAll(/\D/g, '');
  const value = Number(`${integer === '' ? '0' : integer}.${fraction === '' ? '0' : fraction}`);
  return Number.isFinite(value) ? (isNegative ? -value : value) : null;
}

/** Ends the number where its groups end: `5 000 000` is one number, `4,5 2024` are two. */
function groupOf(written: string): string {
  const marked = written.replaceAll('\u066b', '.').replaceAll('\u066c', ',');
  const [group = ''] = /^\d+(?:[.,'\u2019\s\u00a0\u202f]\d{3}(?!\d))*(?:[.,]\d+)*/.exec(marked) ?? [];
  return group.replaceAll(/['\u2019\s\u00a0\u202f]/g, '');
}

function isDecimalMark(
  digits: string,
  marks: readonly RegExpExecArray[],
  last: RegExpExecArray,
  decimalMark: string,
): boolean {
  const isAlone = marks.filter(([mark]) => mark === last[0]).length === 1;
  if (!isAlone) return false;
  if (marks.length > 1) return true; // the other marks are between thousands
  const [before, after] = [digits.slice(0, last.index), digits.slice(last.index + 1)];
  const mayBeThousands = after.length === 3 && before.length <= 3 && before !== '0';
  return !mayBeThousands || last[0] === decimalMark;
}

function withPlainDigits(text: string): string {
  return text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const start = DIGIT_RANGES.findLast((first) => first <= code) ?? code;
    return String(code - start);
  });
}

const TRUE = /^(?:true|yes|on|1|checked)$/i;
const FALSE = /^(?:false|no|off|0)?$/i;

/** Returns whether a value means yes. An attribute means yes by being there. Null for other texts. Runs in the page. */
export function toBoolean(raw: string | number | boolean | null, isAttribute: boolean): boolean | null {
  if (isAttribute) return raw !== null && !/^(?:false|no|off|0)$/i.test(String(raw));
  if (typeof raw === 'boolean') return raw;
  const text = raw === null ? null : String(raw).trim();
  if (text === null) return null;
  return TRUE.test(text) ? true : FALSE.test(text) ? false : null;
}
