import { make } from '../dom.ts';

/** More text than this makes browsers slow. All of it is in the download. */
const MAX_SHOWN_CHARACTERS = 100_000;

/** Text of somebody else's, as the text that it is. */
export function source(text: string): HTMLElement {
  const shown = text.slice(0, MAX_SHOWN_CHARACTERS);
  const rest = text.length - shown.length;
  const code = make('code', {}, shown);
  const note =
    rest > 0
      ? make('p', { class: 'hint' }, `${rest.toLocaleString('en')} more characters are in the download.`)
      : undefined;
  return make('div', { class: 'source' }, make('pre', {}, code), note);
}
