import { constantFrom, letrec, nat, oneof, sample, tuple } from 'fast-check';
import { renderToString } from 'katex';
import { AssistiveMmlHandler } from 'mathjax-full/js/a11y/assistive-mml.js';
import { liteAdaptor } from 'mathjax-full/js/adaptors/liteAdaptor.js';
import { RegisterHTMLHandler } from 'mathjax-full/js/handlers/html.js';
import 'mathjax-full/js/input/tex/ams/AmsConfiguration.js';
import { TeX } from 'mathjax-full/js/input/tex.js';
import { mathjax } from 'mathjax-full/js/mathjax.js';
import { CHTML } from 'mathjax-full/js/output/chtml.js';
import { SVG } from 'mathjax-full/js/output/svg.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const FORMULAS = 200;

const { formula } = letrec<{ formula: string }>((tie) => {
  const [one, two] = [tie('formula'), tie('formula')];
  return {
    formula: oneof(
      { depthSize: 'small', maxDepth: 3 },
      nat({ max: 999 }).map(String),
      constantFrom('x', 'y', 'n', String.raw`\alpha`, String.raw`\pi`, String.raw`\infty`, 'f(x)'),
      tuple(one, two).map(([a, b]) => String.raw`\frac{${a}}{${b}}`),
      tuple(one, two).map(([a, b]) => `{${a}}^{${b}}`),
      tuple(one, two).map(([a, b]) => `{${a}}_{${b}}`),
      one.map((a) => String.raw`\sqrt{${a}}`),
      tuple(one, constantFrom('+', '-', '=', String.raw`\cdot `, '<', String.raw`\le `), two).map(
        ([a, sign, b]) => `${a} ${sign} ${b}`,
      ),
      tuple(one, two).map(([a, b]) => String.raw`\left( ${a}, ${b} \right)`),
      tuple(one, two).map(([a, b]) => String.raw`\sum_{i=1}^{${a}} ${b}`),
      tuple(one, two).map(([a, b]) => String.raw`\begin{pmatrix} ${a} & ${b} \\ 1 & 0 \end{pmatrix}`),
      one.map((a) => String.raw`\text{for } ${a}`),
    ),
  };
});

const adaptor = liteAdaptor();
AssistiveMmlHandler(RegisterHTMLHandler(adaptor));
const packages = ['base', 'ams'];
const drawings = {
  CHTML: mathjax.document('', { InputJax: new TeX({ packages }), OutputJax: new CHTML({ fontURL: '/fonts' }) }),
  SVG: mathjax.document('', { InputJax: new TeX({ packages }), OutputJax: new SVG({ fontCache: 'local' }) }),
};
const drawn = (kind: keyof typeof drawings, tex: string): string =>
  adaptor.outerHTML(drawings[kind].convert(tex, { display: false }));

/** The styles of the libraries that hide what is for screen readers. */
const STYLE = `.katex-mathml, mjx-assistive-mml { position: absolute !important; clip: rect(1px, 1px, 1px, 1px);
width: 1px !important; height: 1px !important; overflow: hidden !important }`;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

/** Returns what the markdown has for each formula of a page. */
async function written(formulas: readonly string[]): Promise<readonly string[]> {
  const paragraphs = formulas.map((each) => `<p>begin ${each} end</p>`).join('');
  const html_content = `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><body>${paragraphs}`;
  const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false });
  expect(answer.status).toBe(200);
  const lines = answer.body.toString('utf8').trim().split('\n\n');
  return lines.map((line) => line.replace(/^begin /, '').replace(/ end$/, ''));
}

describe('formulas of libraries', () => {
  const formulas = sample(formula, { numRuns: FORMULAS, seed: 71 });

  it.each(['htmlAndMathml', 'mathml'] as const)('are TeX, each once, from KaTeX with %s', async (output) => {
    const pages = formulas.map((tex) => renderToString(tex, { output }));

    expect(await written(pages)).toEqual(
      formulas.map(
        (tex) =>
          `$${tex
            .replaceAll('<', String.raw`\lt `)
            .replaceAll(/\s+/g, ' ')
            .trim()}$`,
      ),
    );
  });

  it.each(['CHTML', 'SVG'] as const)('keep their numbers in order, each once, from MathJax as %s', async (kind) => {
    const lines = await written(formulas.map((tex) => drawn(kind, tex)));

    expect(lines.map(numbersOf)).toEqual(formulas.map((tex) => numbersOf(tex)));
  });
});

const SIGNS = '⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉';

/** Returns all digits of a text, whether on the line, raised or lowered. */
function numbersOf(text: string): string {
  const onLine = text.replaceAll(/[⁰¹²³⁴-⁹₀-₉]/g, (sign) => String(SIGNS.indexOf(sign) % 10));
  return onLine.replaceAll(/\D/g, '');
}
