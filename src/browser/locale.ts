/** What a browser is started with, whatever the machine says: Chrome then needs no call for it. */
export const USUAL_LOCALE = 'en-US';

const MAX_LENGTH = 64;

/** Where on earth pages believe to be when a request says nothing. */
export interface Home {
  /** Language tag (BCP 47), in canonical form. */
  readonly locale: string;
  /** Of the IANA database, in the spelling of `canonicalTimeZone`; undefined: where the machine is. */
  readonly timezone?: string | undefined;
}

/**
 * What tells a browser on Linux where it is. Chrome has no flag for it there: `--lang` changes nothing in headless shell or in
 * full Chromium (measured 2026-11-22). LC_ALL decides; LANG is for what knows nothing else. No installed locale is needed.
 */
export function homeVariables({ locale, timezone }: Home): Readonly<Record<string, string>> {
  const posix = `${locale.replaceAll('-', '_')}.UTF-8`;
  return { LANG: posix, LC_ALL: posix, ...(timezone !== undefined && { TZ: timezone }) };
}

/** Headless shell sends no Accept-Language unless it is told to. It takes no weights: `navigator.languages` would show them. */
export function localeFlags(locale: string): readonly string[] {
  // Other systems have no LC_ALL for it: `--lang` is what Chrome has there.
  return [`--lang=${new Intl.Locale(locale).baseName}`, `--accept-lang=${acceptLanguage(locale)}`];
}

/**
 * The locale that pages of this kind of browser have to be given by calls; undefined when starting it that way is enough. Headless
 * shell takes any. Full Chromium takes a language that it has a translation for (Debian's has English alone), de for de-CH, and
 * puts en-US beside it.
 */
export function localeByCalls(kind: 'headless-shell' | 'chrome', locale: string): string | undefined {
  return kind === 'headless-shell' || locale === USUAL_LOCALE ? undefined : locale;
}

/** `de-CH` and then `de`; where it is set by a call, Chrome adds the weights. */
export function acceptLanguage(locale: string): string {
  const { baseName, language } = new Intl.Locale(locale);
  return [...new Set([baseName, language])].join(',');
}

export function isLocale(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** As `de-1996` has: shared workers of headless shell make `de@1996` of it, which no formatter takes (Chrome 153). */
export function hasVariant(locale: string): boolean {
  const { baseName, language, script, region } = new Intl.Locale(locale);
  return baseName !== [language, script, region].filter((part) => part !== undefined).join('-');
}

export function isTimeZone(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  if (!/^[a-z]/i.test(text)) return false; // offsets such as +01:00, which Chrome does not take
  try {
    return canonicalTimeZone(text) !== '';
  } catch {
    return false;
  }
}

/** In the spelling that Chrome expects, which takes no other. */
export function canonicalTimeZone(text: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
}
