/** Encodes text of any script as UTF-16 with a byte order mark, in hex. */
export function textString(text: string): string {
  const bytes = Buffer.from(`\uFEFF${text.toWellFormed()}`, 'utf16le').swap16();
  return `<${bytes.toString('hex').toUpperCase()}>`;
}

/** Returns the texts of a dictionary by name, as Chrome or `textString` writes them. */
export function textsOf(dictionary: string): ReadonlyMap<string, string> {
  const texts = dictionary.matchAll(/\/(\w+)\s*(?:\(((?:\\[\s\S]|[^\\)])*)\)|<([\dA-Fa-f]*)>)/g);
  return new Map(
    Array.from(texts, ([, name = '', literal, hex]) => [
      name,
      decoded(literal === undefined ? bytesOfHex(hex) : bytesOf(literal)),
    ]),
  );
}

function bytesOfHex(hex = ''): Buffer {
  return Buffer.from(hex, 'hex');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function bytesOf(literal: string): Buffer {
  const text = literal.replaceAll(/\\([0-7]{1,3}|\r?\n|[\s\S])/g, (_whole, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    return code.endsWith('\n') ? '' : (ESCAPES[code] ?? code);
  });
  return Buffer.from(text, 'latin1');
}

function decoded(bytes: Buffer): string {
  const isWide = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!isWide) return bytes.toString('latin1');
  const even = bytes.subarray(2, bytes.length - (bytes.length % 2));
  return Buffer.from(even).swap16().toString('utf16le');
}
