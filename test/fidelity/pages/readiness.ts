import sharp from 'sharp';
import { COLOUR, pictureOf, toCss } from '../../support/colour.ts';
import { boxMarkup } from '../../support/pages/box.ts';
import { acceptSocket } from './accept-socket.ts';
import {
  page,
  send,
  sendHtml,
  toDocument,
  type Exchange,
  type Route,
  type Routes,
} from '../../support/pages/exchange.ts';

/** The box of every page here: red at first, and green when the page's own work is done. White elsewhere. */
export const READY_BOX = { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.green } as const;
export const UNREADY_BOX = { ...READY_BOX, colour: COLOUR.red };

/** `/fidelity/large-image`: one picture, 5,000 px wide, with a blue left half and an orange right half. */
export const LARGE_IMAGE = {
  left: { x: 0, y: 0, width: 300, height: 240, colour: COLOUR.blue },
  right: { x: 300, y: 0, width: 300, height: 240, colour: COLOUR.orange },
} as const;

/** `/fidelity/busy-frames`: same-site and cross-site frames, each green once its own request is answered. */
export const BUSY_FRAMES = {
  same: { x: 0, y: 0, width: 200, height: 100, colour: COLOUR.green },
  cross: { x: 200, y: 0, width: 200, height: 100, colour: COLOUR.green },
} as const;

const LATE_MS = 600;
const POLL_MS = 200;
/** So short that even a busy machine makes no pause of 500 ms, which would be a quiet network. */
const POLL_OFTEN_MS = 25;
const STREAM_EVERY_MS = 100;

/** Pages that are not ready at load, and some that never are. */
export function readinessRoutes(): Routes {
  let largeImage: Promise<Buffer> | undefined;
  return {
    '/fidelity/never-quiet': workPage(`
  new WebSocket('ws://' + location.host + '/fidelity/socket');
  new EventSource('/events');
  setInterval(() => fetch('/ping'), ${POLL_OFTEN_MS});
  done();`),
    '/fidelity/open-channels': workPage(`
  new WebSocket('ws://' + location.host + '/fidelity/socket');
  new EventSource('/events');
  setInterval(() => navigator.sendBeacon('/ping'), ${POLL_MS});
  done();`),
    '/fidelity/socket': ({ request }) => acceptSocket(request), // never sends a message
    '/fidelity/unread-fetch': workPage(`fetch('/fidelity/large').then(done);`),
    '/fidelity/large': ({ response }) =>
      send(response, { type: 'application/octet-stream', body: Buffer.alloc(4_000_000) }),
    '/fidelity/late-request': workPage(`
  const request = new XMLHttpRequest();
  request.onload = done;
  request.open('GET', '/answer-after?ms=${LATE_MS}');
  request.send();`),
    '/fidelity/late-image': workPage(`
  addEventListener('load', () => {
    document.body.insertAdjacentHTML('beforeend', '${latePicture()}');
  });`),
    '/fidelity/late-background': workPage(`
  addEventListener('load', () => {
    box.style.backgroundImage = 'url(/fidelity/late-picture)';
    getComputedStyle(box).backgroundImage;
  });`),
    '/fidelity/seen-lazy': page({ body: latePicture('loading="lazy"') }),
    '/fidelity/seen-image': workPage(onceSeen(`document.body.insertAdjacentHTML('beforeend', '${latePicture()}');`)),
    '/fidelity/seen-background': workPage(onceSeen(`box.style.backgroundImage = 'url(/fidelity/late-picture)';`)),
    '/fidelity/late-picture': async ({ response }) => {
      const body = await sharp({
        create: { width: 200, height: 200, channels: 3, background: toCss(COLOUR.green) },
      })
        .png()
        .toBuffer();
      setTimeout(() => send(response, { type: 'image/png', body }), LATE_MS).unref();
    },
    '/fidelity/large-image': page({
      body: '<img src="/fidelity/large.png" decoding="async" width="600" height="240" alt="" style="display:block">',
    }),
    '/fidelity/large.png': async ({ response }) => {
      largeImage ??= paintLargeImage();
      send(response, { type: 'image/png', body: await largeImage });
    },
    '/fidelity/busy-frames': ({ response, crossSiteOrigin }) => {
      const frame = 'width="200" height="100" frameborder="0" style="position:absolute;top:0;left:';
      const body = `<iframe ${frame}0" src="/fidelity/busy-frame"></iframe>
<iframe ${frame}200px" src="${crossSiteOrigin}/fidelity/busy-frame"></iframe>`;
      sendHtml(response, toDocument({ body }));
    },
    '/fidelity/busy-frame': workPage(`fetch('/answer-after?ms=${LATE_MS}').then(done);`),
    '/fidelity/stalled-request': ({ response, crossSiteOrigin }) =>
      sendHtml(response, workDocument(`fetch('${crossSiteOrigin}/never'); done();`)),
    '/fidelity/stalled-asset': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        toDocument({ body: `${boxMarkup(READY_BOX)}<img src="${crossSiteOrigin}/never" width="9" alt="">` }),
      ),
    '/fidelity/stalled-lazy': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        workDocument(
          `done(); onscroll = () => { onscroll = null; fetch('${crossSiteOrigin}/never'); };
document.body.style.height = '2000px';`,
        ),
      ),
    '/fidelity/endless-answer': workPage(`
  // Not fetch(): if chunks of its body arrive far apart, the page counts as not reading it.
  const request = new XMLHttpRequest();
  request.open('GET', '/fidelity/stream');
  request.send();
  done();`),
    '/fidelity/stream': stream,
    '/fidelity/ready-signal': page({
      body: `${boxMarkup(UNREADY_BOX, 'id="box"')}<div style="height:8000px"></div>
<img loading="lazy" id="lazy" src="${pictureOf(COLOUR.blue)}?signal" width="10" height="10" alt="">
<script>
  lazy.onload = () => setTimeout(() => { box.style.background = '${toCss(READY_BOX.colour)}'; window.isReady = true; }, ${LATE_MS});
</script>`,
    }),
  };
}

/** A late picture at the position of the box. */
function latePicture(attribute = ''): string {
  return `<img ${attribute} width="200" height="200" style="position:absolute;left:0;top:0" src="/fidelity/late-picture">`;
}

function onceSeen(script: string): string {
  return `new IntersectionObserver((_entries, observer) => { observer.disconnect(); ${script} }).observe(box);`;
}

function workPage(script: string): Route {
  return page({ body: workBody(script) });
}

function workDocument(script: string): string {
  return toDocument({ body: workBody(script) });
}

function workBody(script: string): string {
  return `${boxMarkup(UNREADY_BOX, 'id="box"')}<script>
  const done = () => { box.style.background = '${toCss(READY_BOX.colour)}'; };
  ${script}
</script>`;
}

function stream({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
  response.write('.');
  const timer = setInterval(() => response.write('.'), STREAM_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}

async function paintLargeImage(): Promise<Buffer> {
  const half = { width: 2_500, height: 2_000, channels: 3 as const };
  const right = await sharp({ create: { ...half, background: toCss(COLOUR.orange) } })
    .png()
    .toBuffer();
  return await sharp({ create: { ...half, width: 5_000, background: toCss(COLOUR.blue) } })
    .composite([{ input: right, left: 2_500, top: 0 }])
    .png({ compressionLevel: 1 })
    .toBuffer();
}
