// Converts hyphenation patterns to the dictionaries that Chrome reads: the "hyb" format of Android's text library
// Minikin.
const MAGIC = 0x62ad7968;
/** Level of a position in a word with given breaks. Patterns have levels up to 9; odd levels are breaks. */
const [BREAK, NO_BREAK] = [11, 10];

/**
 * Returns the dictionary of a language.
 * @param {[levels: number[][], tree: object, exceptions: Record<string, number[]>]} patterns a file of the package
 * `hyphen`: lists of levels, a tree of letters with indexes into them, and words with the places of their hyphens
 * @returns {Buffer}
 */
export function hyphenationDictionary([levels, tree, exceptions]) {
  const patterns = [
    ...patternsOf(tree).map(([text, index]) => ({ text, levels: levelsOf(text, levels[index]) })),
    ...Object.entries(exceptions).map(([word, hyphens]) => ({
      text: `.${word}.`,
      levels: [0, ...Array.from(word, (_, at) => (breaksOf(hyphens).includes(at) ? BREAK : NO_BREAK)), NO_BREAK, 0],
    })),
  ];
  const letters = [...new Set(patterns.flatMap(({ text }) => text.split('')))].filter((each) => each !== '.');
  const codes = new Map([
    ['.', 0],
    ...letters.toSorted((a, b) => a.charCodeAt(0) - b.charCodeAt(0)).map((letter, index) => [letter, index + 1]),
  ]);
  const endings = createPool();
  const trie = packTrie(createTrie(patterns, codes, endings), codes.size - 1, endings.size());
  return withHeader([alphabetTable(codes), trie, endings.table()]);
}

/** The places of the source count the hyphens before them: in `as-so-ciate` they are 2 and 5. */
function breaksOf(hyphens) {
  return hyphens.map((place, before) => place - before);
}

/** Returns the texts of a tree and their indexes. A node is an index, the letters that follow, or both. */
function patternsOf(node, text = '') {
  if (typeof node === 'number') return [[text, node]];
  const [children, index] = Array.isArray(node) ? node : [node];
  const own = index === undefined ? [] : [[text, index]];
  return [...own, ...Object.entries(children).flatMap(([letter, next]) => patternsOf(next, text + letter))];
}

/**
 * Returns the level before each letter of a pattern, and after the last. The source leaves out the start of a word, and
 * zeros at the end.
 */
function levelsOf(text, source) {
  const given = text.startsWith('.') ? [0, ...source] : source;
  return Array.from({ length: text.length + 1 }, (_, at) => given[at] ?? 0);
}

/**
 * Collects the levels at the ends of patterns: each once, as its values without zeros around them, and the number of
 * zeros after them.
 */
function createPool() {
  const entries = new Map([['', { index: 0, values: [], zeros: 0 }]]);
  return {
    add: (levels) => {
      const last = levels.findLastIndex((level) => level > 0);
      if (last === -1) return 0;
      const values = levels.slice(
        levels.findIndex((level) => level > 0),
        last + 1,
      );
      const zeros = levels.length - 1 - last;
      const key = `${values.join()}/${zeros}`;
      if (!entries.has(key)) entries.set(key, { index: entries.size, values, zeros });
      return entries.get(key).index;
    },
    size: () => entries.size,
    table: () => {
      let offset = 0;
      const rows = [...entries.values()].map(({ values, zeros }) => {
        const row = (values.length << 26) | (zeros << 20) | offset;
        offset += values.length;
        return row;
      });
      const bytes = padded(Buffer.from([...entries.values()].flatMap(({ values }) => values)));
      return Buffer.concat([numbers(0, rows.length, 16 + 4 * rows.length, bytes.length, ...rows), bytes]);
    },
  };
}

/**
 * Returns the root of a trie in which equal branches are one. A node is `{ending, edges: [code, node][]}`, with sorted
 * edges.
 */
function createTrie(patterns, codes, endings) {
  const root = { ending: 0, next: new Map() };
  for (const { text, levels } of patterns) {
    let node = root;
    for (const letter of text) {
      const code = codes.get(letter);
      if (!node.next.has(code)) node.next.set(code, { ending: 0, next: new Map() });
      node = node.next.get(code);
    }
    node.ending = endings.add(levels);
  }
  const known = new Map();
  const merge = ({ ending, next }) => {
    const edges = [...next].map(([code, node]) => [code, merge(node)]).toSorted(([a], [b]) => a - b);
    const key = `${ending}|${edges.map(([code, { id }]) => `${code}:${id}`).join()}`;
    if (!known.has(key)) known.set(key, { id: known.size, ending, edges });
    return known.get(key);
  };
  merge(root);
  return [...known.values()]; // the root is the last
}

/**
 * Packs a trie into one list. The entry at the index of a node has its ending; the entry at this index plus a code has
 * the code and the index of the node that follows.
 */
function packTrie(nodes, highestCode, endingCount) {
  const [takenNodes, takenEdges] = [createPlaces(), createPlaces()];
  const place = (node) => {
    const [[first] = [0]] = node.edges;
    const free = node.edges.length === 0 ? takenNodes : takenEdges;
    for (let slot = free.next(first); ; slot = free.next(slot + 1)) {
      const index = slot - first;
      if (takenNodes.has(index) || node.edges.some(([code]) => takenEdges.has(index + code))) continue;
      takenNodes.take(index);
      for (const [code] of node.edges) takenEdges.take(index + code);
      node.index = index;
      return;
    }
  };
  place(nodes.at(-1)); // readers start at index 0
  for (const node of nodes.slice(0, -1).toSorted((a, b) => b.edges.length - a.edges.length)) place(node);

  const highest = nodes.reduce((max, { index }) => Math.max(max, index), 0);
  const [codeBits, indexBits, endingBits] = [highestCode, highest, endingCount].map(bitsOf);
  if (codeBits + indexBits + endingBits > 32) throw new Error('the patterns need more than 32 bits');
  const entries = new Uint32Array(highest + highestCode + 1);
  for (const { index, ending, edges } of nodes) {
    entries[index] |= ending << (codeBits + indexBits);
    for (const [code, node] of edges) entries[index + code] |= (node.index << codeBits) | code;
  }
  const codeMask = 2 ** codeBits - 1;
  const indexMask = (2 ** indexBits - 1) << codeBits;
  return numbers(0, codeMask, codeBits, indexMask, codeBits + indexBits, entries.length, ...entries);
}

/** Keeps which places are taken. `next` returns the first free place from an index on, in nearly constant time. */
function createPlaces() {
  const following = []; // a taken place leads to one that may be free
  const next = (from) => {
    let free = from;
    while (following[free] !== undefined) free = following[free];
    for (let at = from; at !== free;) {
      const after = following[at];
      following[at] = free;
      at = after;
    }
    return free;
  };
  return {
    next,
    has: (index) => following[index] !== undefined,
    take: (index) => void (following[index] = index + 1),
  };
}

/** Capital letters have the code of the small letter. Words with other characters are not divided. */
function alphabetTable(codes) {
  const points = new Map();
  for (const [letter, code] of codes) {
    const capital = letter.toUpperCase();
    if (letter === '.') continue;
    points.set(letter.charCodeAt(0), code);
    if (capital.length === 1 && !codes.has(capital)) points.set(capital.charCodeAt(0), code);
  }
  const sorted = [...points].toSorted(([a], [b]) => a - b);
  const [lowest, highest] = [sorted[0][0], sorted.at(-1)[0]];
  if (highest - lowest >= 1_024 || codes.size > 255) {
    return numbers(1, sorted.length, ...sorted.map(([point, code]) => (point << 11) | code));
  }
  const table = Buffer.alloc(highest - lowest + 1);
  for (const [point, code] of sorted) table[point - lowest] = code;
  return Buffer.concat([numbers(0, lowest, highest + 1), padded(table)]);
}

function withHeader(tables) {
  const header = 6 * 4;
  const ends = tables.map((_, at) => tables.slice(0, at + 1).reduce((sum, { length }) => sum + length, header));
  return Buffer.concat([numbers(MAGIC, 0, header, ...ends), ...tables]);
}

function bitsOf(highest) {
  return Math.ceil(Math.log2(highest + 1));
}

function numbers(...values) {
  // the format is little-endian, as are all our machines
  return Buffer.from(Uint32Array.from(values, (value) => value >>> 0).buffer);
}

function padded(bytes) {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
