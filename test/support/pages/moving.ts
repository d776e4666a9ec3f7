import sharp from 'sharp';
import { COLOUR, toCss } from '../colour.ts';
import { page, send, sendHtml, toDocument, type Route, type Routes } from './exchange.ts';

/**
 * `/moving`: 100x100 boxes that move for a minute or for ever, white or red while moving. Each ends in its final
 * colour; `endless` has it when its animation begins, and `follower` without animation. `picture` is a GIF of two
 * frames, red after 50 ms. Below them, from y = 200, a focused field has a tall red text cursor.
 */
export const MOVING_PAGE = {
  finite: { x: 0, y: 0, colour: COLOUR.green },
  transition: { x: 100, y: 0, colour: COLOUR.blue },
  endless: { x: 200, y: 0, colour: COLOUR.orange },
  shadow: { x: 300, y: 0, colour: COLOUR.magenta },
  frame: { x: 400, y: 0, colour: COLOUR.cyan },
  next: { x: 500, y: 0, colour: COLOUR.yellow },
  picture: { x: 600, y: 0, colour: COLOUR.blue },
  field: { x: 0, y: 200, width: 300, height: 100 },
} as const;

/**
 * `/video`: records a one-second video, half red, half green, and plays it to its end; then sets `window.ended`.
 * 100x100 at (0, 0).
 */
export const VIDEO_PAGE = { x: 0, y: 0, width: 100, height: 100, first: COLOUR.red } as const;

/** Pages with animations, and `/strict-policy`, which allows no style or script. */
export function movingRoutes(): Routes {
  const { finite, transition, endless, shadow, frame, next, picture, field } = MOVING_PAGE;
  let gif: Promise<Buffer> | undefined; // created on first request
  return {
    '/moving': page({
      head: `<style>
  .box { position: absolute; top: 0; width: 100px; height: 100px; background: #fff }
  @keyframes finite { from { background: #f00 } to { background: ${toCss(finite.colour)} } }
  @keyframes endless { from { background: ${toCss(endless.colour)} } to { background: #fff } }
  @keyframes next { from { background: #f00 } to { background: ${toCss(next.colour)} } }
  #finite { left: ${finite.x}px; animation: finite 60s linear forwards }
  #transition { left: ${transition.x}px; transition: background 60s linear 1s }
  #endless { left: ${endless.x}px; background: #f00; animation: endless 1s linear infinite }
  #next { left: ${next.x}px; animation: finite 60s linear forwards }
  #next.second { animation: next 60s linear forwards }
  input { position: absolute; top: ${field.y}px; left: 0; width: 300px; height: 100px; box-sizing: border-box;
    border: 0; outline: 0; font-size: 90px; caret-color: #f00 }
</style>`,
      body: `<div class="box" id="finite"></div><div class="box" id="transition"></div><div class="box" id="endless"></div>
<div id="host" style="position:absolute;left:${shadow.x}px"></div><div class="box" id="next"></div>
<iframe src="/moving/frame" style="position:absolute;top:0;left:${frame.x}px;width:100px;height:100px;border:0"></iframe>
<img src="/moving/two.gif" alt="" style="position:absolute;top:0;left:${picture.x}px;width:100px;height:100px">
<input autofocus>
<script>
  host.attachShadow({ mode: 'open' }).innerHTML = \`<style>
    div { width: 100px; height: 100px; animation: a 60s linear forwards }
    @keyframes a { from { background: #f00 } to { background: ${toCss(shadow.colour)} } }</style><div></div>\`;
  next.addEventListener('animationend', () => next.classList.add('second'));
  addEventListener('load', () => { transition.style.background = '${toCss(transition.colour)}'; });
</script>`,
    }),
    '/video': videoPage(),
    '/moving/frame': page({
      head: `<style>div { height: 100px; animation: a 60s linear forwards }
  @keyframes a { from { background: #f00 } to { background: ${toCss(frame.colour)} } }</style>`,
      body: '<div></div>',
    }),
    '/strict-policy': ({ response }) => {
      response.setHeader('content-security-policy', "default-src 'none'");
      sendHtml(response, toDocument({ body: '' }));
    },
    '/moving/two.gif': async ({ response }) => {
      gif ??= twoFrames();
      send(response, { type: 'image/gif', body: await gif });
    },
  };
}

/** The browser records the video, because test machines have no encoder. */
function videoPage(): Route {
  return page({
    body: `<canvas id="film" width="100" height="100" style="display:none"></canvas><script>
  const context = film.getContext('2d');
  let colour = '${toCss(VIDEO_PAGE.first)}';
  const draw = () => { context.fillStyle = colour; context.fillRect(0, 0, 100, 100); };
  draw();
  const drawing = setInterval(draw, 30);
  const recorder = new MediaRecorder(film.captureStream(30), { mimeType: 'video/webm' });
  recorder.ondataavailable = ({ data }) => {
    clearInterval(drawing);
    const video = document.createElement('video');
    video.muted = true;
    video.style.display = 'block';
    video.src = URL.createObjectURL(data);
    video.onended = () => { window.ended = true; };
    document.body.append(video);
    video.play();
  };
  recorder.start();
  setTimeout(() => { colour = '${toCss(COLOUR.green)}'; }, 500);
  setTimeout(() => recorder.stop(), 1000);
</script>`,
  });
}

/** Blue for 50 ms, then red. */
async function twoFrames(): Promise<Buffer> {
  const frames = await Promise.all([plainPixels(toCss(MOVING_PAGE.picture.colour)), plainPixels('#f00')]);
  return await sharp(Buffer.concat(frames), { raw: { width: 20, height: 40, channels: 3, pageHeight: 20 } })
    .gif({ delay: [50, 60_000], loop: 0 })
    .toBuffer();
}

function plainPixels(background: string): Promise<Buffer> {
  return sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .raw()
    .toBuffer();
}
