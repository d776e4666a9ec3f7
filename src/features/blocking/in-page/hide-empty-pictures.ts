import { computed, setStyles } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';

/** The requested address, without its fragment. */
type KeptPicture = { readonly url: string; readonly keepsPlace: boolean | 'if_sized' };

/** Hides blocked and missing pictures. Elements that now show another picture stay visible. Runs in the page. */
export function hideEmptyPictures(kept: readonly KeptPicture[]): void {
  const byAddress = new Map(kept.map((picture) => [picture.url, picture]));
  for (const picture of everywhere<HTMLImageElement | HTMLInputElement | SVGImageElement>(
    'img, input[type="image" i], image',
  )) {
    const isShown = 'naturalWidth' in picture && picture.naturalWidth > 0;
    const [requested = ''] = addressOf(picture).split('#', 1);
    const found = byAddress.get(requested);
    if (isShown || found === undefined) continue;
    if (found.keepsPlace === 'if_sized') showAsBox(picture);
    const keepsPlace = found.keepsPlace === 'if_sized' ? isSized(picture) : found.keepsPlace;
    setStyles(picture, keepsPlace ? { visibility: 'hidden' } : { display: 'none' });
  }
}

/** The layout size of a picture that failed is that of its broken icon, so the style and the attributes decide. */
function isSized(picture: Element): boolean {
  const style = picture.computedStyleMap();
  const given = (name: string): boolean => String(style.get(name) ?? 'auto') !== 'auto';
  return given('width') ? given('height') || given('aspect-ratio') : given('height') && given('aspect-ratio');
}

/** Chrome shows a failed picture as its alternative text, and ignores its width and height. */
function showAsBox(picture: Element): void {
  // `overflow` puts its lower edge on the line, like that of a picture.
  if (computed(picture).display === 'inline') setStyles(picture, { display: 'inline-block', overflow: 'hidden' });
}

function addressOf(picture: HTMLImageElement | HTMLInputElement | SVGImageElement): string {
  if ('href' in picture) return URL.parse(picture.href.baseVal, picture.baseURI)?.href ?? '';
  return 'currentSrc' in picture && picture.currentSrc !== '' ? picture.currentSrc : picture.src;
}
