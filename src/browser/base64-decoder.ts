/** Decodes base64 that arrives in pieces, so that no string of the whole is ever made. */
export interface Base64Decoder {
  /** Takes the next piece, of any length. */
  readonly add: (piece: Buffer) => void;
  /** Everything decoded; call it once. */
  readonly finish: () => Buffer;
}

const GROUP = 4; // characters that stand for three bytes: only whole groups can be decoded by themselves

export function createBase64Decoder(): Base64Decoder {
  const decoded: Buffer[] = [];
  let rest = '';

  return {
    add: (piece) => {
      const text = rest + piece.toString('latin1');
      const whole = text.length - (text.length % GROUP);
      decoded.push(Buffer.from(text.slice(0, whole), 'base64'));
      rest = text.slice(whole);
    },
    finish: () => Buffer.concat([...decoded, Buffer.from(rest, 'base64')]),
  };
}
