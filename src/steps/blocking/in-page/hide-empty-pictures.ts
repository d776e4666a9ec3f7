import type { RootsOf } from '../../in-page/roots-of.ts';

/** The requested address, without its fragment. */
type KeptPicture = { readonly url: string; readonly keepsPlace: boolean };

/** Hides blocked pictures. Elements that now show another picture stay visible. Runs in the page. */
export function hideEmptyPictures(kept: readonly KeptPicture[], rootsOf: RootsOf): void {
  const byAddress = new Map(kept.map((picture) => [picture.url, picture]));
  for (const root of rootsOf(document)) {
    for (const picture of root.querySelectorAll<HTMLImageElement | HTMLInputElement>(
      'img, input[type="image" i]',
    )) {
      const isShown = 'naturalWidth' in picture && picture.naturalWidth > 0;
      const address = 'currentSrc' in picture && picture.currentSrc !== '' ? picture.currentSrc : picture.src;
      const [requested = ''] = address.split('#', 1);
      const found = byAddress.get(requested);
      if (isShown || found === undefined) continue;
      if (found.keepsPlace) picture.style.setProperty('visibility', 'hidden', 'important');
      else picture.style.setProperty('display', 'none', 'important');
    }
  }
}
