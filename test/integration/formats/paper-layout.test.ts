import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function print(html_content: string): Promise<Pdf & { readonly warnings: string | null }> {
  const { status, body, headers } = await capture(service.url, { html_content, format: 'pdf' });
  expect(status).toBe(200);
  return { ...(await readPdf(body)), warnings: headers.get('x-capture-warnings') };
}

const lines = (count: number, text: string): string =>
  Array.from({ length: count }, (_, at) => `<p>${text} ${at + 1}</p>`).join('');
const card = (name: string): string =>
  `<div style="display: inline-block; width: 120px; height: 120px; margin: 8px">${name}</div>`;
const runsOf = ({ pages }: Pdf) => pages.flatMap(({ runs }) => runs);
const leftOf = (pdf: Pdf, start: string): number | undefined =>
  runsOf(pdf).find(({ text }) => text.startsWith(start))?.leftPt;

describe('what is opened for paper', () => {
  it('leaves no gap for a menu that is not printed', async () => {
    const css =
      'html, body { height: 100%; margin: 0 } .all { position: relative; height: 100% } .menu { position: absolute; inset: 0 auto 0 0; width: 300px; overflow-y: auto } .text { position: absolute; inset: 0 0 0 300px; overflow-y: auto } @media print { .menu { display: none } .text { left: 0 } .all, .text { position: static } }';
    const pdf = await print(
      `<style>${css}</style><div class="all"><div class="menu">${lines(40, 'Chapter')}</div><div class="text">${lines(60, 'Paragraph')}</div></div>`,
    );

    expect(leftOf(pdf, 'Paragraph')).toBeLessThan(40);
    expect(runsOf(pdf).some(({ text }) => text.startsWith('Paragraph 60'))).toBe(true);
    expect(leftOf(pdf, 'Chapter')).toBeUndefined();
  });

  it.each(['overflow: auto; max-height: 90vh; top: 0', 'top: 0'])(
    'makes no sheets for a drawer that is hidden on paper, where the screen has a column that sticks: %s',
    async (column) => {
      const css = `.side { position: sticky; float: right; ${column} } @media (max-width: 769px) { .side { position: fixed !important; inset: 0 0 0 auto !important; width: 75vw; overflow: auto; float: none; visibility: hidden; transform: translate(100%, 0) } }`;
      const pdf = await print(
        `<style>${css}</style><div class="side">${lines(150, 'Module')}</div><main>${lines(9, 'Text')}</main>`,
      );

      expect([pdf.pages.length, pdf.warnings]).toEqual([1, null]);
    },
  );

  it('makes no blank sheets of a chat without a doctype', async () => {
    const css =
      'html, body { height: 100%; margin: 0; overflow: hidden } .w { height: 100%; display: flex; flex-direction: column } .l { flex: 1; overflow-y: auto }';
    const pdf = await print(`<style>${css}</style><div class="w"><div class="l">${lines(100, 'Message')}</div></div>`);

    expect(pdf.warnings).toBeNull();
    expect(pdf.pages.every(({ text }) => text.includes('Message'))).toBe(true);
    expect(runsOf(pdf).filter(({ text }) => text.startsWith('Message'))).toHaveLength(100);
  });

  it('has all rows of a list that draws what its box shows', async () => {
    const html = `<!doctype html><style>html, body { height: 100%; margin: 0 } .m { height: 100vh; overflow: auto } .v { position: relative; height: 4000px } .v div { position: absolute; height: 40px }</style>
      <div class="m"><div class="v"></div></div><script>const m = document.querySelector('.m'), v = m.firstChild;
      function draw() { v.innerHTML = ''; for (let i = Math.floor(m.scrollTop / 40); i < Math.min(100, (m.scrollTop + m.clientHeight) / 40 + 2); i++) { const row = document.createElement('div'); row.style.top = i * 40 + 'px'; row.textContent = 'Row ' + i; v.append(row); } }
      draw(); m.addEventListener('scroll', draw); addEventListener('resize', draw);</script>`;
    const pdf = await print(html);

    expect(runsOf(pdf).filter(({ text }) => text.startsWith('Row'))).toHaveLength(100);
    expect(pdf.warnings).toBeNull();
  });

  it('takes no longer for a column that sticks', async () => {
    const rows = `<table>${'<tr><td>a<td>b'.repeat(800)}</table>`;
    const took = async (css: string): Promise<number> => {
      const begun = performance.now();
      await print(`<style>${css}</style>${rows}`);
      return performance.now() - begun;
    };
    const plain = await took('');

    expect(await took('td:first-child { position: sticky; left: 0 }')).toBeLessThan(4 * plain + 500);
  });

  it('has all of panels that a script places for the size of the window', async () => {
    const cards = ['Kernel', 'Console', 'Other'].flatMap((name) => [1, 2, 3].map((at) => card(`${name} ${at}`)));
    const html = `<style>html, body { margin: 0; height: 100%; overflow: hidden } .w { position: absolute; overflow: hidden } .scroll { height: 100%; overflow: auto }</style>
      <div class="w" id="l">Files</div><div class="w" id="d"><div class="w" id="p"><div class="scroll">${cards.join('\n')}${lines(30, 'Line')}</div></div></div>
      <script>const put = (e, x, y, w, h) => Object.assign(e.style, { left: x + 'px', top: y + 'px', width: w + 'px', height: h + 'px' });
      function lay() { put(l, 0, 28, 280, innerHeight - 28); put(d, 280, 28, innerWidth - 280, innerHeight - 28); put(p, 6, 6, innerWidth - 292, innerHeight - 40); }
      addEventListener('resize', lay); lay();</script>`;
    const pdf = await print(html);

    const widest = Math.max(...runsOf(pdf).map(({ leftPt }) => leftPt));
    expect(widest).toBeLessThan(567 - 60);
    expect(runsOf(pdf).filter(({ text }) => /^(?:Kernel|Console|Other|Line)/.test(text)).length).toBe(39);
  });
});
