import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** Words with all the places where they may be divided. */
const WORDS = [
  ['de', 'Do-nau-dampf-schiff-fahrts-ge-sell-schaft'],
  ['de', 'BUN-DES-VER-FAS-SUNGS-GE-RICHT'],
  ['de', 'Stra-ßen-bahn-hal-te-stel-le'],
  ['en', 'in-ter-na-tion-al-iza-tion'],
  ['en', 'as-so-ciates'],
  ['nl', 'ar-beids-on-ge-schikt-heids-ver-ze-ke-ring'],
  ['uk', 'най-від-по-від-аль-ні-ший'],
  ['fr', 'an-ti-cons-ti-tu-tion-nel-le-ment'],
  ['hu', 'meg-szent-ség-te-le-nít-he-tet-len-sé-ges-ke-dé-se-i-te-kért'],
] as const;

/** Writes where the browser has divided the word into the title. */
const REPORT = `<script>
  const text = document.querySelector('p').firstChild;
  const range = new Range();
  const lineOf = (at) => {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return [...range.getClientRects()].at(-1).top;
  };
  const letters = [...text.data].map((letter, at) => (at > 0 && lineOf(at) !== lineOf(at - 1) ? '-' : '') + letter);
  document.title = letters.join('');
</script>`;

describe('hyphens: auto', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  it.each(WORDS)('divides a word of the language %s: %s', async (lang, word) => {
    const page = `<title></title><p lang="${lang}" style="width:70px;hyphens:auto;font:16px monospace">${word.replaceAll('-', '')}</p>${REPORT}`;

    const { body } = await capture(service.url, { html_content: page, format: 'html' });

    const [, title = ''] = /<title>([^<]*)/.exec(body.toString()) ?? [];
    const places = title.split('-');
    expect(places.length).toBeGreaterThan(1);
    expect(word.replaceAll('-', '')).toBe(places.join(''));
    expect(endsOf(word)).toEqual(expect.arrayContaining([...endsOf(title)]));
  });

  it('divides words in a pdf', async () => {
    const page = `<p lang="de" style="width:90px;hyphens:auto;font:16px monospace">Straßenbahnhaltestelle`;

    const { body } = await capture(service.url, { html_content: page, format: 'pdf' });

    const { pages } = await readPdf(body);
    expect(pages[0]?.text).toMatch(/^Stra\S*[-‐] .*stelle$/);
  });
});

/** Returns the lengths of the beginnings of a divided word. */
function endsOf(word: string): readonly number[] {
  return [...word.matchAll(/-/g)].map(({ index }, before) => index - before);
}
