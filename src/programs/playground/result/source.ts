import { make } from '../dom.ts';

/** Maximum number of shown characters. More text slows browsers down, and the download has all of it. */
const MAX_SHOWN_CHARACTERS = 100_000;

/** Shows untrusted text as text. */
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
