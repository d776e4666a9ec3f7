import { all, attribute, boxOf, computed, first, isRendered, read } from '../../../core/steps/in-page/nodes.ts';

/**
 * Returns the small floating buttons that open cookie settings again, which stay on the page after a choice: those of
 * known consent managers, and others by their label. `layers` are the overlays of the page. Runs in the page.
 */
export function settingsTabs(layers: Iterable<HTMLElement>): readonly HTMLElement[] {
  const known =
    '.cc-revoke, .osano-cm-widget, #ot-sdk-btn-floating, #CookiebotWidget, #usercentrics-button, .iubenda-tp-btn, .cky-btn-revisit-wrapper, #cmplz-manage-consent, #cookie-law-info-again, #BorlabsCookieWidget, #tarteaucitronIcon, #ccc-icon, .qc-cmp2-persistent-link, #silktide-cookie-icon, .ch2-icon, #cookiescript_badge, #Coi-Renew';
  const [maxWidth, maxHeight, maxLabel] = [360, 160, 40];
  const cookies =
    /cookie|kakor|galet|ciaste|eväste|çerez|süti|куки|クッキー|쿠키|consent|einwilligung|gdpr|dsgvo|rgpd|privacy|privatsph|datenschutz|confidentialit|privacidad|privacidade/iu;
  const settings =
    /setting|preferenc|polic|choice|manage|option|notice|control|center|centre|einstellung|verwalten|paramètr|gérer|gestion|préféren|configur|gestiona|preferenz|impostazion|gestisci|instelling|beheren|inställning|indstilling|innstilling|ustawien|asetu|настройк|nastaven|beállítás|ayarlar|設定|설정|^\W*cookies?\W*$|cookie.?consent|consent.?(?:tool|button|icon)/iu;
  const isAbout = (label: string): boolean => label.length <= maxLabel && cookies.test(label) && settings.test(label);
  const isTab = (layer: HTMLElement): boolean => {
    const { width, height } = boxOf(layer);
    if (computed(layer).position !== 'fixed' || width > maxWidth || height > maxHeight) return false;
    if (first(layer, 'input, textarea, select, nav, video, iframe') !== null) return false;
    const text = read(HTMLElement.prototype, layer, 'innerText').trim();
    if (text !== '') return isAbout(text);
    const parts = [layer, ...all(layer, 'button, a, [role="button"], img, svg')].slice(0, 10);
    return parts.some((part) => isAbout(labelOf(part)) || isAbout(attribute(part, 'id') ?? ''));
  };
  const found = all<HTMLElement>(document, known);
  return [...found, ...[...layers].filter(isTab)].filter((tab) => isRendered(tab));
}

function labelOf(element: Element): string {
  return (
    ['aria-label', 'title', 'alt'].map((name) => attribute(element, name) ?? '').find((label) => label.trim() !== '') ??
    ''
  );
}
