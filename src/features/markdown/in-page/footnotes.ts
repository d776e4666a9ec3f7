/** Class of a mark of a footnote in the copy. */
export const NOTE_MARK = 'capture-note-mark';
/** Class of a footnote in the copy. Its name is in `title`. */
export const NOTE = 'capture-note';
const MOST_NOTES = 5_000;
const REFERENCES =
  'sup a[href*="#"], a[href*="#"]:has(> sup), a[role="doc-noteref"], a.footnote-ref, a[rel~="footnote"]';
const BACK_LINKS = 'a[role="doc-backlink"], a.footnote-backref, a.reversefootnote, .mw-cite-backlink';

/**
 * Makes footnotes of marks that lead to a note in the same content: `[^1]`, and the notes at the end. Runs in the page,
 * on a copy.
 */
export function tidyFootnotes(root: Element): void {
  const targets = new Map(
    [...root.querySelectorAll('li[id], p[id], div[id], aside[id], dd[id]')].map((each) => [each.id, each]),
  );
  const names = new Map<Element, string>();
  for (const link of [...root.querySelectorAll(REFERENCES)].slice(0, MOST_NOTES)) {
    const note = targets.get(fragmentOf(link));
    if (note === undefined || note.contains(link)) continue;
    const name = names.get(note) ?? nameOfNote(link.textContent, names);
    if (name === undefined) continue;
    names.set(note, name);
    const mark = root.ownerDocument.createElement('span');
    mark.className = NOTE_MARK;
    mark.append(`[^${name}]`);
    (link.closest('sup') ?? link).replaceWith(mark);
  }
  for (const [note, name] of names) {
    const made = root.ownerDocument.createElement('div');
    made.className = NOTE;
    made.title = name;
    for (const back of note.querySelectorAll(BACK_LINKS)) back.remove();
    for (const link of note.querySelectorAll('a'))
      if (/^(?:\s|↩|\uFE0E|↑|\^|⏎|↵)*$/u.test(link.textContent)) link.remove();
    while (note.firstChild !== null) made.append(note.firstChild);
    const list = note.parentElement;
    note.remove();
    if (list !== null && list.children.length === 0 && list.textContent.trim() === '') list.remove();
    root.append(made);
  }
}

function fragmentOf(link: Element): string {
  const address = link.getAttribute('href') ?? '';
  const fragment = address.slice(address.indexOf('#') + 1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function nameOfNote(text: string, names: ReadonlyMap<Element, string>): string | undefined {
  const name = text.replaceAll(/[^\p{L}\p{N}]+/gu, '').slice(0, 20);
  const isFree = name !== '' && ![...names.values()].includes(name);
  return isFree ? name : `n${names.size + 1}`;
}
