import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const UNKNOWN = '\u{F8FD0}'; // private use area: in no font

describe('a page with characters that no font has', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['in the window', `<p>Text ${UNKNOWN}`, {}],
    ['below it', `<p style="margin-top: 3000px">${UNKNOWN}`, { full_page: true }],
    ['on paper', `<p>Text ${UNKNOWN}`, { format: 'pdf' }],
    [
      'in a shadow tree',
      `<div></div><script>document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '${UNKNOWN}';</script>`,
      {},
    ],
    ['in a frame', `<iframe srcdoc="${UNKNOWN}"></iframe>`, {}],
    ['after many that a font has', `<p>${'Жук '.repeat(2_000)}<b>${UNKNOWN}</b>`, {}],
  ])('is reported: %s', async (_where, html_content, fields) => {
    const { status, headers } = await capture(service.url, { html_content, ...fields });

    expect([status, headers.get('x-capture-warnings')]).toEqual([200, 'glyphs_missing']);
  });

  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['hidden ones', `<p>Text<p hidden>${UNKNOWN}`, {}],
    ['invisible ones', `<p>Text<p style="visibility: hidden">${UNKNOWN}`, {}],
    ['those of a script', `<p>Text<script>'${UNKNOWN}'</script>`, {}],
    ['spaces, marks and signs', '<p>a\u3000b\u2003c e\u0301 \u200B\u2060\uFE0F \u2014 \u2026 © €', {}],
    ['other alphabets', '<p>Жук Ωμέγα Žluťoučký İstanbul', {}],
    ['text formats', `<p>Text ${UNKNOWN}`, { format: 'html' }],
  ])('is not reported for %s', async (_what, html_content, fields) => {
    const { status, headers } = await capture(service.url, { html_content, ...fields });

    expect([status, headers.get('x-capture-warnings')]).toEqual([200, null]);
  });
});
