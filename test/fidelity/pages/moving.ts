import sharp from 'sharp';
import { COLOUR, toCss } from '../../support/colour.ts';
import { boxMarkup } from '../../support/pages/box.ts';
import { page, send, type Routes } from '../../support/pages/exchange.ts';
import { createVideo } from './webm.ts';

/** Position of the moving element on every page here, once it stands still. */
export const STILL_BOX = { x: 20, y: 20, width: 160, height: 160, colour: COLOUR.green } as const;
const FRAMES = [COLOUR.green, COLOUR.red, COLOUR.blue, COLOUR.yellow];

/** `/fidelity/scrollbars`: a scrollable element fills the viewport, in one colour up to its last column. */
export const SCROLLED = { x: 0, y: 0, width: 400, height: 300, colour: COLOUR.cyan } as const;

/** `/fidelity/caret`: a focused field, 300 x 60, of one colour. */
export const FIELD = { x: 20, y: 20, width: 300, height: 60, colour: COLOUR.yellow } as const;

/** Pages that never stand still. */
export function movingRoutes(): Routes {
  const { x, y, width, height, colour } = STILL_BOX;
  const place = `position:absolute;left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  return {
    '/fidelity/caret': page({
      body: `<input autofocus style="position:absolute;box-sizing:border-box;left:${FIELD.x}px;top:${FIELD.y}px;width:${FIELD.width}px;height:${FIELD.height}px;border:0;outline:0;padding:10px;background:${toCss(FIELD.colour)};font-size:30px;caret-color:#000">`,
    }),
    // The box has its colour at the start of its animation.
    '/fidelity/animation-infinite': page({
      head: `<style>${keyframes(toCss(colour), 'red')} #box { background: blue; animation: colours 700ms linear infinite }</style>`,
      body: `<div id="box" style="${place}"></div>`,
    }),
    '/fidelity/animation-finite': page({
      head: `<style>${keyframes('red', toCss(colour))} #box { animation: colours 20s linear forwards }</style>`,
      body: `<div id="box" style="${place}"></div>`,
    }),
    '/fidelity/transition': page({
      head: '<style>#box { background: red; transition: background 20s linear, left 20s linear }</style>',
      body: `<div id="box" style="${place};left:0"></div><script>
  addEventListener('load', () => {
    box.getBoundingClientRect();
    box.style.background = '${toCss(colour)}';
    box.style.left = '${x}px';
  });
</script>`,
    }),
    '/fidelity/script-animation': page({
      body: `<div id="box" style="${place};background:red"></div><script>
  box.animate([{ background: 'red' }, { background: '${toCss(colour)}' }], { duration: 20000, fill: 'forwards' });
</script>`,
    }),
    '/fidelity/gif': page({
      body: `<img src="/fidelity/moving.gif" width="${width}" height="${height}" alt="" style="position:absolute;left:${x}px;top:${y}px">`,
    }),
    '/fidelity/moving.gif': async ({ response }) => send(response, { type: 'image/gif', body: await createGif() }),
    '/fidelity/video': page({
      body: `<video src="/fidelity/moving.webm" autoplay muted loop style="position:absolute;left:${x}px;top:${y}px"></video>`,
    }),
    '/fidelity/moving.webm': async ({ response }) =>
      send(response, { type: 'video/webm', body: await createVideo(FRAMES) }),
    '/fidelity/scrollbars': page({
      head: '<style>html { overflow-y: scroll }</style>',
      body: `<div style="height:300px;overflow:scroll"><div style="height:2000px;background:${toCss(SCROLLED.colour)}"></div></div><div style="height:900px"></div>`,
    }),
    '/fidelity/text': page({
      body: `<p style="margin:10px;font:17px/1.4 sans-serif;color:#000">Grey edges only: mill, wave, AVATAR, 0123</p>${boxMarkup({ x: 0, y: 200, width: 10, height: 10, colour: COLOUR.black })}`,
    }),
    '/fidelity/where-and-when': page({
      body: `<p id="seen"></p><script>
  seen.textContent = [
    Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language,
    new Date(0).toLocaleString(), (1234.5).toLocaleString(), new Date(2026, 6, 1).getTimezoneOffset(),
  ].join(' | ');
</script>`,
    }),
  };
}

function keyframes(from: string, to: string): string {
  return `@keyframes colours { from { background: ${from} } to { background: ${to} } }`;
}

/** Four frames, 100 ms each, in an endless loop. */
async function createGif(): Promise<Buffer> {
  const frames = FRAMES.map((colour) => ({
    create: { width: 40, height: 40, channels: 4 as const, background: toCss(colour) },
  }));
  const inputs = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()));
  return await sharp(inputs, { join: { animated: true } })
    .gif({ delay: 100, loop: 0 })
    .toBuffer();
}
