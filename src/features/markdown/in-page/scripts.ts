// Exponents and indices as text.

const RAISED = new Map(
  [...'0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾nⁿiⁱ′′″″‴‴∘°'.matchAll(/(.)(.)/gu)].map(([, plain = '', sign = '']) => [
    plain,
    sign,
  ]),
);
const LOWERED = new Map(
  [...'0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ'.matchAll(/(.)(.)/gu)].map(
    ([, plain = '', sign = '']) => [plain, sign],
  ),
);
/** Endings of numbers (1st). Written on the line, they mean the same. */
const ENDING = /^(?:st|nd|rd|th|er|re|e|o|a|ª|º)$/;
const TRADE_MARK = /^(?:™|®|©|SM|TM)$/;

/** Returns an exponent: `⁻³`, or `^(a+b)` for what has no such signs. `before` is the text that it belongs to. */
export function raised(text: string, before = ''): string {
  const isOnLine = TRADE_MARK.test(text) || (ENDING.test(text) && /\p{N}$/u.test(before));
  return isOnLine ? text : written(text, RAISED, '^');
}

/** Returns an index: `₀`, or `_(max)`. */
export function lowered(text: string): string {
  return written(text, LOWERED, '_');
}

function written(text: string, signs: ReadonlyMap<string, string>, mark: string): string {
  const plain = text.trim();
  if (plain === '') return text;
  const characters = Array.from(plain);
  if (characters.every((character) => signs.has(character))) return characters.map((each) => signs.get(each)).join('');
  return characters.length === 1 ? `${mark}${plain}` : `${mark}(${plain})`;
}
