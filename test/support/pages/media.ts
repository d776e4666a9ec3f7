import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { createPhotographs } from '../../../bench/photographs.mjs';
import { PHOTOGRAPHS_PAGE } from '../../../bench/site.mjs';
import { COLOUR, pictureOf, toCss } from '../colour.ts';
import { page, send, sendHtml, type Exchange, type Routes } from './exchange.ts';

/**
 * `/media`: four 100x100 pictures side by side from (0, 0), white until loaded: an `<img>`, a CSS background, a
 * `<picture>` source, an inline SVG that needs no request. Below, at (0, 100) a 300x150 video with a poster, and an
 * audio element. `files` are the requested paths, unless media are blocked.
 */
export const MEDIA_PAGE = {
  image: { x: 0, y: 0, width: 100, height: 100, colour: COLOUR.red },
  background: { x: 100, y: 0, width: 100, height: 100, colour: COLOUR.blue },
  source: { x: 200, y: 0, width: 100, height: 100, colour: COLOUR.orange },
  inline: { x: 300, y: 0, width: 100, height: 100, colour: COLOUR.green },
  files: {
    pictures: [pictureOf(COLOUR.red), pictureOf(COLOUR.blue, 'jpg'), pictureOf(COLOUR.orange), pictureOf(COLOUR.cyan)],
    media: ['/media/clip.mp4', '/media/tone.wav'],
  },
} as const;

/** Pictures, video and audio. Files are created on first request and kept. */
export function mediaRoutes(): Routes {
  const pictures = new Map<string, Promise<Buffer>>();
  let photographs: Promise<readonly Buffer[]> | undefined; // half a second of work: on demand only
  return {
    '/media': mediaPage(),
    // Bytes that no browser can play: tests check only that they are requested.
    '/media/clip.mp4': ({ response }) => send(response, { type: 'video/mp4', body: Buffer.alloc(4096) }),
    '/media/tone.wav': ({ response }) => send(response, { type: 'audio/wav', body: silence() }),
    '/pictures/*': async (exchange) => {
      const known = pictures.get(exchange.rest);
      const picture = known ?? paint(exchange.rest);
      if (known === undefined) pictures.set(exchange.rest, picture);
      await delay(Number(exchange.url.searchParams.get('after')), undefined, { ref: false }); // milliseconds
      sendPicture(exchange, await picture);
    },
    '/photographs': ({ response }) => sendHtml(response, PHOTOGRAPHS_PAGE),
    '/photographs/*': async (exchange) => {
      photographs ??= createPhotographs();
      const photograph = (await photographs)[Number.parseInt(exchange.rest, 10)];
      if (photograph === undefined) throw new RangeError(`No photograph ${exchange.rest}`);
      sendPicture(exchange, photograph);
    },
  };
}

function mediaPage() {
  const [image, background, source, poster] = MEDIA_PAGE.files.pictures;
  const [video, audio] = MEDIA_PAGE.files.media;
  return page({
    head: `<style>
  .cell, .cell img { position: absolute; top: 0; width: 100px; height: 100px }
  .cell img { left: 0 }
  video, audio { position: absolute; left: 0; top: 100px; width: 300px; height: 150px }
  audio { top: 260px; height: 50px }
</style>`,
    body: `<div class="cell" style="left:0"><img src="${image}" alt=""></div>
<div class="cell" style="left:100px;background-image:url(${background})"></div>
<div class="cell" style="left:200px"><picture><source srcset="${source}"><img src="/pictures/unused" alt=""></picture></div>
<svg class="cell" style="left:300px"><rect width="100" height="100" fill="${toCss(MEDIA_PAGE.inline.colour)}"/></svg>
<video src="${video}" poster="${poster}" preload="auto"></video>
<audio src="${audio}" preload="auto" controls></audio>`,
  });
}

/** `rest` is `rrggbb.png` or `rrggbb.jpg`. */
function paint(rest: string): Promise<Buffer> {
  const [hex = '', extension] = rest.split('.');
  const canvas = sharp({ create: { width: 40, height: 40, channels: 3, background: `#${hex}` } });
  // Without chroma subsampling, a plain colour comes back from JPEG within 2 of itself.
  return extension === 'jpg'
    ? canvas.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
    : canvas.png().toBuffer();
}

function sendPicture({ url, response }: Exchange, body: Buffer): void {
  send(response, { type: url.pathname.endsWith('.jpg') ? 'image/jpeg' : 'image/png', body });
}

/** A tenth of a second of silence: WAV, 8 kHz, 8 bits, mono. */
function silence(): Buffer {
  const samples = Buffer.alloc(800, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
