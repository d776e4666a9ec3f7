import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { sendHtml } from '../../support/pages/exchange.ts';
import { readPdf } from '../../support/pdf.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const LEAVE = "location.href = '/gone'";
/** What makes a page leave for another document while it is captured. */
const REASONS: Readonly<Record<string, string>> = {
  'a change of its title': `new MutationObserver(() => { ${LEAVE} }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })`,
  'its print media': `matchMedia('print').addEventListener('change', () => { ${LEAVE} })`,
  'the event before a print': `addEventListener('beforeprint', () => { ${LEAVE} })`,
  'a new size': `addEventListener('resize', () => { ${LEAVE} })`,
  'a scroll': `addEventListener('scroll', () => { ${LEAVE} })`,
  'a timer after the run ahead': `setTimeout(() => { ${LEAVE} }, 2_700)`,
  'a form after the run ahead': `setTimeout(() => { const form = document.createElement('form'); form.action = '/gone'; document.body.append(form); form.submit(); }, 2_700)`,
  'a worker': `new Worker(URL.createObjectURL(new Blob(['setTimeout(postMessage, 350, 1)']))).onmessage = () => { ${LEAVE} }`,
  'a frame that is seen': `new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) { ${LEAVE} } }).observe(document.querySelector('i'))`,
};
const FORMATS = ['png', 'pdf', 'markdown', 'json'] as const;

/** Returns which page an answer shows. `refused` for the error of a check. */
async function shownBy(answer: CaptureAnswer, format: (typeof FORMATS)[number]): Promise<string> {
  if (answer.status !== 200) {
    const isChecked = /"error_type":"(?:Page|Http|Navigation)\w*"/.test(answer.body.toString());
    return isChecked ? 'refused' : answer.body.toString();
  }
  if (format === 'png') {
    const [red, green] = (await readPicture(answer.body)).pixel(300, 700);
    return red === 0 && green === 160 ? 'GOOD' : `rgb(${red}, ${green})`;
  }
  const isPaper = format === 'pdf';
  const text = isPaper ? (await readPdf(answer.body)).pages.map((page) => page.text).join(' ') : answer.body.toString();
  return text.includes('BAD PAGE') ? 'BAD' : 'GOOD';
}

describe('a document that arrives late', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/here': ({ response, url }) =>
            sendHtml(
              response,
              `<body style="margin:0;background:#00a000"><h1>GOOD PAGE</h1><div style="height:1500px"></div><i>end</i><script>${REASONS[url.searchParams.get('why') ?? ''] ?? ''}</script>`,
            ),
          '/gone': ({ response, url }) =>
            sendHtml(
              response,
              `<body style="margin:0;background:red"><h1>BAD PAGE</h1><p class=ad style="height:90px;background:blue">advert</p>`,
              url.searchParams.has('ok') ? 200 : 404,
            ),
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  describe.each(Object.keys(REASONS))('by %s', (why) => {
    it.each(FORMATS)('escapes no check of the request for %s', async (format) => {
      const answer = await capture(service.url, {
        url: site.url(`/here?why=${encodeURIComponent(why)}`),
        ...(format === 'json' ? { response_type: 'json', include: ['markdown', 'html'] } : { format }),
        ...(format === 'pdf' && { pdf_title: 'Title' }),
        ...(format === 'png' && { full_page: true }),
        main_content: false,
        delay_capture: 300,
        fail_on_http_error: true,
        fail_unless_text: 'GOOD PAGE',
        fail_if_text: 'BAD PAGE',
      });

      expect(['GOOD', 'refused']).toContain(await shownBy(answer, format));
    });
  });

  it('gets the styles of the request', async () => {
    const { body } = await capture(service.url, {
      html_content: `<base href="${site.url('/')}"><title>a</title><script>
        new MutationObserver(() => { location.href = '${site.url('/gone?ok')}'; }).observe(document, { subtree: true, childList: true, characterData: true });
      </script>`,
      format: 'pdf',
      pdf_title: 'Title',
      hide_selectors: ['.ad'],
    });

    const [page] = (await readPdf(body)).pages;
    expect(page?.text).toContain('BAD PAGE');
    expect(page?.text).not.toContain('advert');
  });
});
