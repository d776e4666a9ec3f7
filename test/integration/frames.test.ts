import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, toCss } from '../support/colour.ts';
import { capture } from '../support/http.ts';
import { readPicture } from '../support/pixels.ts';
import { type RunningService, startService } from '../support/service.ts';

const ROUNDS = 10;
const FRAME_WITHOUT_END = '<script>onload = () => requestAnimationFrame(() => { while (true); });</script>';

describe('the frames that pictures are made of', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ POOL_SIZE: '2' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('show what was done last', async () => {
    expect(await greenPictures()).toBe(ROUNDS);
  });

  it('come to others while a page does not end one of its own', async () => {
    const client = new AbortController();
    const stuck = capture(service.url, { html_content: FRAME_WITHOUT_END }, { signal: client.signal });
    stuck.catch(() => undefined); // it is meant to fail

    expect(await greenPictures()).toBe(ROUNDS);

    client.abort();
    await expect(stuck).rejects.toThrow(/abort/);
  });

  /** Of a page that a script turns green after its load, and before its picture. */
  async function greenPictures(): Promise<number> {
    let green = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await capture(service.url, {
        html_content: '<p>line',
        custom_js: `document.documentElement.style.background = '${toCss(COLOUR.green)}'`,
      });
      const colour = (await readPicture(answer.body)).pixel(600, 400).slice(0, 3);
      if (isDeepStrictEqual(colour, COLOUR.green)) green++;
    }
    return green;
  }
});
