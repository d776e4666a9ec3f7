/**
 * Language that a browser starts with, independent of the machine. Captures in this language need no extra protocol
 * call.
 */
export const USUAL_LOCALE = 'en-US';

const MAX_LENGTH = 64;

/** Language and time zone of pages when the request sets none. */
export interface Home {
  /** Canonical language tag (BCP 47). */
  readonly locale: string;
  /** IANA time zone, in the spelling of `canonicalTimeZone`. Undefined: that of the machine. */
  readonly timezone?: string | undefined;
}

/**
 * Environment variables that set language and time zone of a browser on Linux. Chrome has no flag for it there:
 * `--lang` has no effect in headless shell and full Chromium (measured 2026-11-22). LC_ALL wins; LANG is a fallback.
 * The locale need not be installed.
 */
export function homeVariables({ locale, timezone }: Home): Readonly<Record<string, string>> {
  const posix = `${locale.replaceAll('-', '_')}.UTF-8`;
  return { LANG: posix, LC_ALL: posix, ...(timezone !== undefined && { TZ: timezone }) };
}

/**
 * Returns the language flags. Headless shell sends no Accept-Language by default. The value has no weights, because
 * `navigator.languages` would show them.
 */
export function localeFlags(locale: string): readonly string[] {
  // Other systems ignore LC_ALL: there Chrome uses `--lang`.
  return [`--lang=${new Intl.Locale(locale).baseName}`, `--accept-lang=${acceptLanguage(locale)}`];
}

/**
 * Returns the locale that must be set by a protocol call, or undefined if the start is enough. Headless shell accepts
 * any. Full Chromium needs a translation for it (Debian's has English only), uses de for de-CH, and adds en-US.
 */
export function localeByCalls(kind: 'headless-shell' | 'chrome', locale: string): string | undefined {
  return kind === 'headless-shell' || locale === USUAL_LOCALE ? undefined : locale;
}

/** Value of Accept-Language: `de-CH`, then `de`. Chrome adds the weights if a protocol call sets it. */
export function acceptLanguage(locale: string): string {
  const { baseName, language } = new Intl.Locale(locale);
  return [...new Set([baseName, language])].join(',');
}

/** True for a language tag that names a language: Chrome refuses `und`, the tag of an undetermined one. */
export function isLocale(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  try {
    return new Intl.Locale(text).language !== 'und';
  } catch {
    return false;
  }
}

/**
 * True for a tag with a variant, such as `de-1996`. Shared workers of headless shell turn it into `de@1996`, which no
 * formatter accepts (Chrome 153).
 */
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

/** Returns the only spelling that Chrome accepts. */
export function canonicalTimeZone(text: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
}
