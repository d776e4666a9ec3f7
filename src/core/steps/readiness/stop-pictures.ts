import type { Page } from '../../browser/page/page.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import { withTimeout } from '../../ground/timeouts.ts';
import { inFrame, listFrames, worldOf } from '../common/list-frames.ts';
import { adoptStyleSheet } from '../in-page/adopt-style-sheet.ts';
import { endAnimations } from './in-page/end-animations.ts';
import { stopSvgPictures, type SvgText } from './in-page/stop-svg-pictures.ts';

/** Shows the first frame of every GIF, APNG, WebP and AVIF. A browser that does not know `stopped` ignores it. */
const FIRST_FRAMES = ':root { image-animation: paused !important; image-animation: stopped !important }';
const MOVES = /<(?:animate|set\b)|@keyframes/;

const isLate = (): Error => new Error('the text of a picture was not read in time');

/** Shows animated pictures at a defined frame, in all frames. A page without such pictures costs no protocol call. */
export async function stopPictures(page: Page): Promise<void> {
  const work: Promise<unknown>[] = [];
  if (page.pictures.mayBeFramed()) work.push(page.evaluate(adoptStyleSheet, FIRST_FRAMES));
  if (page.pictures.svgPictures().length > 0) work.push(stopSvg(page));
  await Promise.all(work);
}

async function stopSvg(page: Page): Promise<void> {
  const texts = await Promise.all(
    page.pictures.svgPictures().map(async ({ url, frameId }): Promise<SvgText | undefined> => {
      // Chrome waits for all style sheets of the document before it answers. If a server is silent, it never answers.
      const content = page.send('Page.getResourceContent', { frameId, url });
      const file = await withTimeout(content, LIMIT_MS.still, isLate).catch(() => undefined);
      if (file === undefined) return undefined;
      const text = file.base64Encoded ? Buffer.from(file.content, 'base64').toString() : file.content;
      return MOVES.test(text) ? { url, text } : undefined;
    }),
  );
  const moving = texts.filter((text) => text !== undefined);
  if (moving.length > 0) await page.evaluate(stopSvgPictures, moving);
}

/** Stops motion in frames of other origins: pictures always, animations if `isHeld`. */
export async function stopFramesOfOthers(page: Page, isHeld: boolean): Promise<void> {
  if (!page.children.hadFrames()) return;
  const frames = await listFrames(page);
  const own = frames.get(page.mainFrameId)?.origin;
  const others = [...frames.values()].filter(({ origin }) => origin !== own);
  await Promise.all(
    others.map(async (frame) => {
      const world = worldOf(page, frame);
      const within = (work: Promise<unknown>): Promise<unknown> => inFrame(page, frame.session, work);
      if (page.pictures.mayBeFramed()) await within(world.evaluate(adoptStyleSheet, FIRST_FRAMES));
      if (isHeld) await within(world.evaluate(endAnimations, true));
    }),
  );
}
