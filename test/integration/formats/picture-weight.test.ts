import { inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const [WIDTH, HEIGHT] = [600, 400];
/** Soft waves: like a photograph, small as jpeg and large without loss. */
const WAVES = Buffer.from(
  Array.from({ length: WIDTH * HEIGHT * 3 }, (_, index) => {
    const [x, y, channel] = [Math.floor(index / 3) % WIDTH, Math.floor(index / 3 / WIDTH), index % 3];
    return Math.round(
      128 + 60 * Math.sin(x / (40 + 9 * channel)) + 50 * Math.cos(y / 31 + x / 90) + ((x * 7 + y * 13) % 5),
    );
  }),
);
const photo = () => sharp(WAVES, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
const turned = (orientation: number) => photo().jpeg({ quality: 85 }).withMetadata({ orientation });

const KINDS: Readonly<Record<string, readonly [type: string, bytes: Buffer]>> = {
  'on its side': ['jpeg', await turned(6).toBuffer()],
  'on its other side': ['jpeg', await turned(8).toBuffer()],
  'on its head': ['jpeg', await turned(3).toBuffer()],
  mirrored: ['jpeg', await turned(2).toBuffer()],
  'of webp': ['webp', await photo().webp({ quality: 85 }).toBuffer()],
  'of avif': ['avif', await photo().avif({ quality: 80 }).toBuffer()],
  'of CMYK': ['jpeg', await photo().toColourspace('cmyk').jpeg({ quality: 85 }).toBuffer()],
  'of png': ['png', await photo().png().toBuffer()],
};

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const print = (body: string, fields: object): Promise<CaptureAnswer> =>
  capture(service.url, { html_content: `<!doctype html><html lang="en">${body}`, format: 'pdf', ...fields });
const shown = ([type, bytes]: readonly [string, Buffer]): string =>
  `<img alt="photo" width="600" src="data:image/${type};base64,${bytes.toString('base64')}">`;

/** Returns the jpeg pictures of a document. */
function jpegsIn(body: Buffer): readonly Buffer[] {
  return [...body.toString('latin1').matchAll(/\/Filter \/DCTDecode\n\/Length (\d+)>> stream\n/g)].map(
    ({ index, 0: head, 1: length }) => body.subarray(index + head.length, index + head.length + Number(length)),
  );
}

/** Returns the pixels of a picture that is stored without loss. */
function flatPictureIn(body: Buffer): Buffer {
  const text = body.toString('latin1');
  const [head = '', length] =
    /\/Filter \/FlateDecode\n\/Length (\d+)>> stream\n/.exec(text.slice(text.indexOf('/Subtype /Image'))) ?? [];
  const startsAt = text.indexOf(head, text.indexOf('/Subtype /Image')) + head.length;
  return inflateSync(body.subarray(startsAt, startsAt + Number(length)));
}

describe.concurrent('pdf_image_quality', () => {
  it.each(Object.entries(KINDS))('stores a photograph %s as jpeg, upright', async (_name, kind) => {
    const [whole, small] = await Promise.all([print(shown(kind), {}), print(shown(kind), { pdf_image_quality: 85 })]);

    const [jpeg] = jpegsIn(small.body);
    expect(jpegsIn(whole.body)).toEqual([]);
    expect(small.body.length).toBeLessThan(whole.body.length / 3);
    const [expected, actual] = [flatPictureIn(whole.body), await sharp(jpeg).raw().toBuffer()];
    expect(actual).toHaveLength(expected.length);
    let sum = 0;
    for (const [index, value] of expected.entries()) sum += Math.abs(value - (actual[index] ?? 0));
    expect(sum / expected.length).toBeLessThan(4);
  });

  it('leaves drawings, pictures with alpha, and jpegs that stand upright', async () => {
    const stripes = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const alpha = await photo().ensureAlpha(0.5).png().toBuffer();
    const plain = await photo().jpeg({ quality: 85 }).toBuffer();

    const { body } = await print([stripes, alpha].map((each) => shown(['png', each])).join(''), {
      pdf_image_quality: 50,
    });
    expect(jpegsIn(body)).toEqual([]);
    const kept = await print(shown(['jpeg', plain]), { pdf_image_quality: 10 });
    expect(kept.body.includes(plain.subarray(-2_000))).toBe(true);
  });

  it('keeps links, bookmarks, standards and passwords working', async () => {
    const fields = { pdf_image_quality: 80, pdf_outline: true, pdf_standard: ['PDF/A-2b'] };
    const page = `<h1>Title</h1><a href="https://example.com/">link</a>${shown(KINDS['of webp'] ?? ['', Buffer.alloc(0)])}`;
    const { status, body } = await print(page, fields);

    expect(status).toBe(200);
    expect(jpegsIn(body)).toHaveLength(1);
    expect(body.toString('latin1')).toContain('https://example.com/');
  });

  it.each([0, 101, 1.5, 'high'])('refuses %j', async (pdf_image_quality) => {
    const details = 'pdf_image_quality: must be a whole number from 1 to 100';
    expect(readError(await print('x', { pdf_image_quality }))).toEqual(invalid(details));
  });
});
