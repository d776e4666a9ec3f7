import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../../src/parts/storage/checked-file.ts';

const PIECE = 65_536;
const SMALL = Buffer.alloc(3 * PIECE, 'small');
const LARGE = Buffer.alloc(40 * PIECE, 'large');

const writtenOf = (body: Buffer) => ({
  bytes: body.length,
  sha256: createHash('sha256').update(body).digest('base64url'),
});
const fileOf = (body: Buffer, bytes = body.length) => {
  const pieces = Array.from({ length: Math.ceil(body.length / PIECE) }, (_, at) =>
    body.subarray(at * PIECE, (at + 1) * PIECE),
  );
  return { body: Readable.from(pieces), contentType: 'image/png', bytes };
};
const changed = (body: Buffer): Buffer => {
  const other = Buffer.from(body);
  other[0] = 0;
  return other;
};

describe('checkFile', () => {
  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['a small body', SMALL],
    ['a large body', LARGE],
  ])('passes on %s unchanged', async (_, body) => {
    const { body: checked } = await checkFile(fileOf(body), writtenOf(body));

    expect((await buffer(checked)).equals(body)).toBe(true);
  });

  it.each([
    ['a body of another length', fileOf(Buffer.from('<h1>Hello</h1>'))],
    ['a body of the same length with other bytes', fileOf(changed(SMALL))],
    ['a body shorter than its length', fileOf(SMALL.subarray(0, PIECE), SMALL.length)],
  ])('refuses %s before the first byte, and closes the file', async (_, file) => {
    await expect(checkFile(file, writtenOf(SMALL))).rejects.toMatchObject({
      type: 'StorageError',
      details: 'STORAGE: the stored bytes differ from the result',
    });
    expect(file.body.destroyed).toBe(true);
  });

  it('ends a large corrupted body with an error before its last bytes', async () => {
    const { body } = await checkFile(fileOf(changed(LARGE)), writtenOf(LARGE));
    let seen = 0;

    const reading = async (): Promise<void> => {
      for await (const piece of body) seen += Buffer.from(piece).length;
    };

    await expect(reading()).rejects.toThrow('the stored bytes differ from the result');
    expect(seen).toBeLessThan(LARGE.length);
  });
});
