/** Creates a deterministic pseudo-random number generator. */
export function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface GeneratedList {
  readonly text: string;
  /** Number of invalid lines. */
  readonly broken: number;
}

/** Generates a list of about this size, with all kinds of rules and some invalid lines. */
export function generateList(bytes: number): GeneratedList {
  const number = createNumbers(7);
  const word = (): string => number(2 ** 31).toString(36);
  const broken = [() => `/[${word()}/`, () => `||${word()}.example^$no-such-option`, () => `##div:x(.${word()}`];
  const rules = [
    () => `||${word()}.example^`,
    () => `||${word()}.example^$third-party`,
    () => `||${word()}.example/${word()}/*/${word()}.js$script,domain=${word()}.example|${word()}.example`,
    () => `/${word()}/${word()}/*$image`,
    () => `@@||${word()}.example^$xmlhttprequest`,
    () => `##.${word()}`,
    () => `###${word()}`,
    () => `${word()}.example##div[data-${word()}]`,
  ];
  // Few, as in any list: each of them is matched against every URL.
  const expression = (): string => `/^https?:\\/\\/${word()}\\.[a-z]{2,5}\\/${word()}/`;
  const lines = ['[Adblock Plus 2.0]', '! Title: generated'];
  let [length, invalidLines] = [0, 0];
  while (length < bytes) {
    const isInvalid = number(100) === 0;
    const kinds = isInvalid ? broken : rules;
    const line = number(500) === 0 && !isInvalid ? expression() : (kinds[number(kinds.length)]?.() ?? '');
    lines.push(line);
    length += line.length + 1;
    if (isInvalid) invalidLines++;
  }
  return { text: lines.join('\n'), broken: invalidLines };
}
