import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as pageCode from '../../../../src/features/data/in-page/extract/written-number.ts';

/** The function as pages get it. */
const toNumber: typeof pageCode.toNumber = runInThisContext(`(${String(pageCode.toNumber)})`);
const AMOUNTS = [0.05, 0.99, 5, 12.5, 349, 1_299, 1_299.95, 12_990, 1_234_567.89, -45.5];
/** A locale of each country with its currency, and the mark before decimals. */
const COUNTRIES = [
  ['en-US', 'USD', '.'],
  ['en-GB', 'GBP', '.'],
  ['de-DE', 'EUR', ','],
  ['de-AT', 'EUR', ','],
  ['de-CH', 'CHF', '.'],
  ['fr-FR', 'EUR', ','],
  ['fr-CA', 'CAD', ','],
  ['es-ES', 'EUR', ','],
  ['pt-BR', 'BRL', ','],
  ['it-IT', 'EUR', ','],
  ['nl-NL', 'EUR', ','],
  ['sv-SE', 'SEK', ','],
  ['nb-NO', 'NOK', ','],
  ['pl-PL', 'PLN', ','],
  ['cs-CZ', 'CZK', ','],
  ['ru-RU', 'RUB', ','],
  ['tr-TR', 'TRY', ','],
  ['hi-IN', 'INR', '.'],
  ['ja-JP', 'CNY', '.'],
  ['ar-EG', 'EGP', '.'],
  ['fa-IR', 'AFN', '.'],
  ['bn-BD', 'BDT', '.'],
] as const;
const WRITTEN = COUNTRIES.flatMap(([locale, currency, mark]) =>
  AMOUNTS.flatMap((amount) =>
    (['symbol', 'code'] as const).map((currencyDisplay) => {
      const options = { style: 'currency', currency, currencyDisplay, minimumFractionDigits: 2 } as const;
      return [locale, new Intl.NumberFormat(locale, options).format(amount), mark, amount] as const;
    }),
  ),
);

describe('toNumber', () => {
  it.each(WRITTEN)('reads prices of %s: %s', (_locale, text, mark, amount) => {
    // Marks of direction are not shown.
    expect(toNumber(text.replaceAll(/[\u200e\u200f\u061c]/g, ''), mark)).toBe(amount);
  });

  it.each<[text: string, value: number | null, mark?: string]>([
    ['2 pairs from $349', 349],
    ['2 x 3,50 €', 3.5, ','],
    ['$1,875.00 $2,000.00', 1875],
    ['9.99USD', 9.99],
    [',89 €', 0.89, ','],
    ['.5', 0.5],
    ['No.5', 5],
    ['EUR 1.299,-', 1299, ','],
    ['1299.-', 1299],
    ['49,– €', 49, ','],
    ['kr 99,--', 99, ','],
    ['₹1,23,456.78', 123_456.78],
    ['3·50', 3.5],
    ['１，２３４．５', 1234.5],
    ['฿๑,๒๐๐', 1200],
    ['EUR -5', -5],
    ['Saldo −12,50 €', -12.5, ','],
    ['$-3', -3],
    ['(−4)', -4],
    ['- 5', -5],
    ['Temperature: -3.5 °C', -3.5],
    ['Model X-200, 15 pieces', 200],
    ['Size - 5', 5],
    ['10–20', 10],
    ['12\n345', 12],
    ['12 34', 12],
    ['50 %', 50],
    ['4.5 out of 5', 4.5],
    ['300 K', 300],
    ['5 m', 5],
    ['10 km', 10],
    ['20 mm', 20],
    ['12 Minuten', 12],
    ['3 milk bottles', 3],
    ['1.2k stars', null],
    ['1,2 k', null, ','],
    ['2M', null],
    ['3 Mio. €', null, ','],
    ['5 Mrd.', null],
    ['7 billion', null],
    ['4 lakh', null],
    ['3万円', null],
    ['2 млн', null],
    ['$5 B', null],
    ['1,5 M€', null, ','],
    ['₹2 Cr', null],
    ['2 миллиона', null],
    ['1万2800円', null],
    ['2½ cups', 2.5],
    ['19⁹⁹', 19.99],
    ['.500', 0.5],
    ['4€50', 4.5, ','],
    ['Seit 1.5.2024: 7 Stück', 7, ','],
    ['Chapter 3.2.1', null],
    ['38,39,40', 38],
    ['1\u00AD000', 1000],
    ['iPhone 15 128 GB', 15],
    ['Golf 8 999 €', 999],
    ['1 222 333.50', 1_222_333.5],
    ['Prix 1 299 €', 1299, ','],
    ['Free', null],
    ['', null],
  ])('reads %j as %s', (text, value, mark = '.') => {
    expect(toNumber(text, mark)).toBe(value);
  });

  it('reads a long text in linear time', () => {
    for (const text of ['1,'.repeat(100_000), '1 '.repeat(100_000), '-'.repeat(200_000), '1'.repeat(200_000)])
      expect(() => toNumber(text, '.')).not.toThrow();
  });
});
