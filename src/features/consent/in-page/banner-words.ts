import type { Words } from './cookie-popups.ts';

/** Text rules of the library. */
export interface LibraryWords {
  readonly readsAsBanner: (text: string) => { readonly patterns: readonly string[] };
  readonly isExcluded: (text: string) => boolean;
  readonly kindOf: Words['kindOf'];
}

/**
 * Returns rules that recognize the text of cookie banners and their buttons: those of the library, and more languages.
 * Runs in the page.
 */
export function bannerWords(library: LibraryWords): Words {
  const mention =
    /cookie|kakor|galet|ciaste|eväste|çerez|süti|куки|クッキー|쿠키|consent|einwilligung|gdpr|dsgvo|rgpd/iu;
  // Languages for which the library has few or no sentences.
  const statement =
    /\b(we|this (web)?site|our (web)?site|the site)( also)? (uses?|serves?|sets?|stores?)\b.{0,40}\bcookies?\b|(utilizza|usa|utilizziamo|usiamo|impiega).{0,40}\bcookies?\b|(använder|bruger|bruker|anvender).{0,40}(cookies|kakor|informasjonskapsler)|(používá|využívá|používáme|využíváme).{0,40}cookies?|käyt(ämme|tää|etään).{0,40}eväste|(sütiket|cookie-?kat).{0,30}használ|használ.{0,30}(sütiket|cookie)|çerez.{0,40}kullan|(utilizamos|usamos|utiliza|usa).{0,40}\bcookies?\b|(nous utilisons|ce site utilise).{0,40}\bcookies?\b|(wir|diese (web)?seite|unsere (web)?seite) (verwende[nt]|nutz[et]n?|setz[et]n?).{0,40}\bcookies?\b|(we|wij|deze (web)?site) gebruik(en|t)?.{0,40}\bcookies?\b|использу.{0,60}(cookie|куки)|(クッキー|cookie).{0,20}(使用|利用)/isu;
  const refusal =
    /^(afvis|avvis|avslå|kun nødvendige|odmítn|pouze nezbytn|hylkää|vain välttäm|elutasít|zavrni|odbij|odmietn|отклонить|すべて拒否|拒否)/iu;
  return {
    mentions: (text) => mention.test(text) && !library.isExcluded(text),
    statesCookieUse: (text) => statement.test(text),
    isAbout: (text) => statement.test(text) || (mention.test(text) && library.readsAsBanner(text).patterns.length > 0),
    kindOf: (text) => (refusal.test(text) ? 'reject' : library.kindOf(text)),
  };
}
