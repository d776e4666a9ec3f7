/** The digit 0 of scripts that write numbers with digits of their own. */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0,
  0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];
/** A decimal mark that can't be taken for one between thousands. */
export const DECIMAL = '\u066b';
/** A number with its marks. Spaces and apostrophes are between thousands only. */
const WRITTEN = /\d+(?:[.,'\u2019\u066c \u00a0\u2009\u202f]\d{3}(?!\d))*(?:[.,\u066b]\d+)*/g;
const GAPS = /['\u2019\u066c \u00a0\u2009\u202f]/g;
/** Numbers with groups between thousands: of three digits, or of two and then three, as in India. */
const GROUPED = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,\u066b]\d+)?$|^\d{1,2}(?:,\d{2})+,\d{3}(?:[.\u066b]\d+)?$/;
/** Characters before and after a number that are read with it. */
const AROUND = 16;
const MOST_TEXT = 10_000;

const CODES = Intl.supportedValuesOf('currency').join('|');
const CURRENCY = String.raw`(?:\p{Sc}|(?<!\p{L})(?:${CODES}|R\$|\u5143|\u5186|\uc6d0|K\u010d|z\u0142|kr|Kr|Rs|Fr|Ft|lei|\u043b\u0432|\u0440\u0443\u0431|\u0433\u0440\u043d)(?!\p{L})\.?)`;
const AFTER_CURRENCY = new RegExp(String.raw`${CURRENCY}[ \u00a0\u202f]?[-\u2212]?[ \u00a0\u202f]?$`, 'u');
const BEFORE_CURRENCY = new RegExp(String.raw`^[ \u00a0\u202f]?${CURRENCY}`, 'u');
const ENDS_WITH_CURRENCY = new RegExp(String.raw`${CURRENCY}[ \u00a0\u202f]?$`, 'u');
const SIGN = new RegExp(String.raw`[-\u2212\u2013]([ \u00a0\u202f]?)(?:${CURRENCY}[ \u00a0\u202f]?)?$`, 'u');
/** A letter that multiplies a price, and a part of a number that another part follows. */
const SCALED_PRICE = new RegExp(String.raw`^[ \u00a0\u202f]?(?:[kKMBT]|Cr|Mds?)(?![\p{L}\d])`, 'u');
const SCALED_BEFORE_CURRENCY = new RegExp(String.raw`^[ \u00a0\u202f]?(?:[kKMB]|Mds?)[ \u00a0\u202f]?${CURRENCY}`, 'u');
const AFTER_SCALE = /\d[\u5343\u4e07\u842c\u4ebf\u5104\ucc9c\ub9cc\uc5b5]$/;
/** A letter that multiplies the number. In `5 m` and `300 K`, it is a unit. */
const SCALING_LETTER = /^(?:[kKMB]|\s?k)(?![\p{L}\d])/u;
const SCALING_WORD =
  /^\s?(?:(?:mio|mill?|mil|mln|mn|mrd|mld|bn|tsd|tys|tis|tusen|thousand|tausend|million(?:s|e|en|es|i)?|milion[eiy]?|millones|mill\u00f3n|milh(?:\u00e3o|\u00f5es)|milliard(?:s|e|en|i)?|miliard[iy]?|billion(?:s|en)?|trillion(?:s|en)?|lakhs?|crores?|mille|mila|bin|\u0442\u044b\u0441(?:\u044f\u0447\p{L}?)?|\u043c\u0438\u043b\u043b\u0438\u043e\u043d\p{L}{0,2}|\u043c\u043b\u043d|\u043c\u043b\u0440\u0434|\u0623\u0644\u0641|\u0645\u0644\u064a\u0648\u0646|\u0645\u0644\u064a\u0627\u0631)\.?(?!\p{L})|[\u5343\u4e07\u842c\u4ebf\u5104\ucc9c\ub9cc\uc5b5])/iu;

/**
 * Returns the number that a person reads in a text, in whatever form people write it: `1.234,56 €`, `$1,234.56`,
 * `1 234,5`, `,89`, `1.299,-`. It is the first price, or else the first number. A single mark before three digits is
 * read as in the language of the page. Null if there is none, or if a letter or word multiplies it: `1.2k`, `3 Mio.`
 * Runs in the page.
 */
export function toNumber(text: string, decimalMark: string): number | null {
  const plain = withPlainMarks(text.slice(0, MOST_TEXT), decimalMark);
  const numbers = [...plain.matchAll(WRITTEN)].flatMap(({ 0: written, index }) => {
    const bare = written.replaceAll(GAPS, '');
    const around = {
      before: plain.slice(Math.max(0, index - AROUND), index),
      after: plain.slice(index + written.length, index + written.length + AROUND),
    };
    return wholeNumbers(bare).map((each) => ({ written: each, ...around }));
  });
  const number = numbers.find(isPrice) ?? numbers[0];
  if (number === undefined || isScaled(number)) return null;
  const value = valueOf(number.written, decimalMark);
  if (!Number.isFinite(value)) return null;
  return isNegative(number.before) ? -value : value;
}

/** Returns the numbers in digits with marks: none of a date or a version, each one of a list (`38,39,40`). */
function wholeNumbers(written: string): readonly string[] {
  if ((written.match(/[.,]/g)?.length ?? 0) < 2 || GROUPED.test(written)) return [written];
  return /^\d+(?:,\d+)+$/.test(written) ? written.split(',') : [];
}

interface Surroundings {
  readonly before: string;
  readonly after: string;
}

/** True for a number that a letter or word multiplies. */
function isScaled({ before, after }: Surroundings): boolean {
  if (SCALING_LETTER.test(after) || SCALING_WORD.test(after) || AFTER_SCALE.test(before)) return true;
  return SCALED_BEFORE_CURRENCY.test(after) || (AFTER_CURRENCY.test(before) && SCALED_PRICE.test(after));
}

/** True for a number with a currency at it. */
function isPrice({ before, after }: Surroundings): boolean {
  return AFTER_CURRENCY.test(before) || BEFORE_CURRENCY.test(after);
}

/** True after a sign: not after a dash in a word (`X-200`), between words (`Size - 5`) or numbers (`5-10`). */
function isNegative(before: string): boolean {
  const [whole, gap = ''] = SIGN.exec(before) ?? [];
  if (whole === undefined) return false;
  const rest = before.slice(0, -whole.length);
  if (rest.trim() === '' || ENDS_WITH_CURRENCY.test(rest)) return true;
  return gap === '' && !/(?:\d\s*|[\p{L})\]])$/u.test(rest);
}

/** Returns the value of digits and marks. */
function valueOf(written: string, decimalMark: string): number {
  const marks = [...written.matchAll(/[.,\u066b]/g)];
  const last = marks.at(-1);
  const isDecimal = last !== undefined && isDecimalMark(written, marks, last, decimalMark);
  const fraction = isDecimal ? written.slice(last.index + 1) : '';
  const integer = (isDecimal ? written.slice(0, last.index) : written).replaceAll(/\D/g, '');
  return Number(`${integer}.${fraction === '' ? '0' : fraction}`);
}

function isDecimalMark(
  digits: string,
  marks: readonly RegExpExecArray[],
  last: RegExpExecArray,
  decimalMark: string,
): boolean {
  if (last[0] === DECIMAL) return true;
  const isAlone = marks.filter(([mark]) => mark === last[0]).length === 1;
  if (!isAlone) return false;
  if (marks.length > 1) return true; // the other marks are between thousands
  const [before, after] = [digits.slice(0, last.index), digits.slice(last.index + 1)];
  const mayBeThousands = after.length === 3 && before.length <= 3 && before !== '0';
  return !mayBeThousands || last[0] === decimalMark;
}

/** Returns a text with plain digits and marks, with a whole number before `,89`, and decimals for `,-`. */
function withPlainMarks(text: string, decimalMark: string): string {
  const plain = text
    .replaceAll(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replaceAll(
      /(?<=\d)([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{2})(?![\u2070\u00b9\u00b2\u00b3\u2074-\u2079])/g,
      (raised) => DECIMAL + raised.normalize('NFKD'),
    )
    .replaceAll(/(\d?)\s?([\u00bc-\u00be\u2150-\u215e])/g, (_, digit: string, fraction: string) => {
      const [above = 0, below = 1] = fraction.normalize('NFKD').split('\u2044').map(Number);
      return `${digit === '' ? '0' : digit}${DECIMAL}${(above / below).toFixed(4).slice(2)}`;
    })
    .replaceAll(/(?<=\d)[\u20ac$\u00a3](?=\d{2}(?!\d))/g, DECIMAL)
    .replaceAll(/(?!\d)\p{Nd}/gu, (digit) => {
      const code = digit.charCodeAt(0);
      const zero = ZEROS.find((each) => code >= each && code < each + 10);
      return zero === undefined ? digit : String(code - zero);
    })
    .replaceAll(/(?<=\d)[\uff0c\u060c](?=\d)/g, ',')
    .replaceAll(/(?<=\d)[\uff0e\u00b7](?=\d)/g, '.')
    .replaceAll(/(?<![\p{L}\d.,])[.,](?=\d{1,3}(?!\d))/gu, `0${DECIMAL}`)
    .replaceAll(/(?<=\d)[.,] ?[-\u2013\u2014\u2212]{1,2}(?![\d\p{L}])/gu, `${DECIMAL}00`);
  // Where a comma is no decimal mark, nobody writes thousands with spaces: `iPhone 15 128 GB` has two numbers.
  return decimalMark === ',' ? plain : plain.replaceAll(/(?<=\p{L} \d{1,3}) (?=\d{3}(?!\d| \d{3}))/gu, '\n');
}
