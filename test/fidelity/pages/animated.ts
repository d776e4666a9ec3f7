import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { COLOUR, toCss, type Colour } from '../../support/colour.ts';
import { page, send, sendHtml, toDocument, type Routes } from '../../support/pages/exchange.ts';
import { STILL_BOX } from './moving.ts';

const CELL = 40;
const FRAMES = [COLOUR.green, COLOUR.red, COLOUR.blue, COLOUR.yellow];
const GREEN = toCss(COLOUR.green);
const GIF = '/fidelity/frames.gif';
const IN_CELL = `width="${CELL}" height="${CELL}" style="display:block;border:0"`;

/**
 * Animated pictures and SVG animations. Each page fills `STILL_BOX` with green if everything is frozen at the right
 * moment.
 */
export function animatedRoutes(): Routes {
  const picturePage = (type: string): Routes[string] =>
    page({ body: inBox(`<img src="/fidelity/frames.${type}" width="160" height="160" alt="">`) });
  return {
    '/fidelity/apng': picturePage('apng'),
    '/fidelity/webp': picturePage('webp'),
    '/fidelity/animated-places': ({ response, crossSiteOrigin }) => sendHtml(response, placesDocument(crossSiteOrigin)),
    '/fidelity/animated-frame': page({ body: `<img src="${GIF}" ${IN_CELL}>` }),
    [GIF]: async ({ response }) => send(response, { type: 'image/gif', body: await sharpFrames('gif') }),
    '/fidelity/frames.webp': async ({ response }) =>
      send(response, { type: 'image/webp', body: await sharpFrames('webp') }),
    '/fidelity/frames.apng': ({ response }) => send(response, { type: 'image/png', body: apng(FRAMES) }),

    '/fidelity/svg-ended': page({
      body: inBox(`
${svg(`${growing(0, 80, 'id="first" begin="0.5s" dur="3s"')}${growing(80, 80, 'begin="first.end+1s" dur="2s"')}`)}
<div id="host"></div><script>
  host.attachShadow({ mode: 'open' }).innerHTML = \`<style>svg { display: block }</style>${svg(
    `<rect width="160" height="40" fill="red"><set attributeName="fill" to="${GREEN}" begin="2s"/></rect>`,
  )}\`;
</script>
<object type="image/svg+xml" data="/fidelity/growing.svg" width="160" height="40" style="display:block"></object>
<iframe src="/fidelity/growing.svg" width="160" height="40" style="display:block;border:0"></iframe>`),
    }),
    '/fidelity/growing.svg': ({ response }) =>
      send(response, { type: 'image/svg+xml', body: svg(growing(0, 160, 'dur="20s"')) }),
    '/fidelity/svg-endless': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        toDocument({
          body: inBox(
            [
              svg(turning('')),
              svg(turning('fill="freeze"')),
              svg(`<g><animateTransform attributeName="transform" type="translate" values="0 0;99 0" dur="0.7s" repeatDur="indefinite"/>
<rect width="160" height="40" fill="${GREEN}"/></g>`),
              `<iframe src="${crossSiteOrigin}/fidelity/turning" width="160" height="40" style="display:block;border:0"></iframe>`,
            ].join('\n'),
          ),
        }),
      ),
    '/fidelity/turning': page({ body: svg(turning('')) }),
    '/fidelity/blinking.svg': ({ response }) => send(response, { type: 'image/svg+xml', body: svg(blinking('')) }),
    '/fidelity/svg-pictures': page({
      body: inBox(`<img src="/fidelity/growing.svg" style="display:block">
<img src="/fidelity/blinking.svg" style="display:block">
<div style="height:40px;background:url(/fidelity/blinking.svg)"></div>
<img src="data:image/svg+xml,${encodeURIComponent(
        svg(`<style>@keyframes blink { from { fill: ${GREEN} } to { fill: red } } rect { animation: blink 0.9s infinite }</style>
<rect width="160" height="40"/>`),
      )}" style="display:block">`),
    }),
  };
}

/** Sixteen ways in which a page shows a picture. */
function placesDocument(crossSiteOrigin: string): string {
  const image = `url(${GIF})`;
  const places = [
    `<img src="${GIF}" ${IN_CELL}>`,
    `<picture><source srcset="/fidelity/frames.webp"><img ${IN_CELL}></picture>`,
    `<div class="fill" style="background:${image}"></div>`,
    `<div class="fill" style="background:image-set(${image} 1x)"></div>`,
    `<div style="border:20px solid;border-image:${image} 20"></div>`,
    `<ul style="margin:0;padding:0;font-size:0;list-style:inside ${image}"><li></ul>`,
    `<div class="fill" style="content:${image}"></div>`,
    '<div class="before"></div>',
    `<svg ${IN_CELL}><image href="${GIF}" width="40" height="40"/></svg>`,
    `<input type="image" src="${GIF}" ${IN_CELL}>`,
    `<object data="${GIF}" ${IN_CELL}></object>`,
    `<video poster="${GIF}" ${IN_CELL}></video>`,
    `<iframe src="${GIF}" ${IN_CELL}></iframe>`,
    `<iframe src="/fidelity/animated-frame" ${IN_CELL}></iframe>`,
    `<iframe src="${crossSiteOrigin}/fidelity/animated-frame" ${IN_CELL}></iframe>`,
    `<div id="host"></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = '<img src="${GIF}">';</script>`,
  ];
  return toDocument({
    head: `<style>.cell { float: left; width: 40px; height: 40px; overflow: hidden } .fill { height: 40px } .before::before { display: block; content: ${image} }</style>`,
    body: inBox(places.map((place) => `<div class="cell">${place}</div>`).join('')),
  });
}

function inBox(content: string): string {
  const { x, y, width, height } = STILL_BOX;
  return `<div style="position:absolute;left:${x}px;top:${y}px;width:${width}px;height:${height}px">${content}</div>`;
}

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40" style="display:block">${content}</svg>`;
}

/** A bar that is absent at first, and grows to its width. */
function growing(x: number, width: number, timing: string): string {
  return `<rect x="${x}" width="0" height="40" fill="${GREEN}"><animate attributeName="width" from="0" to="${width}" fill="freeze" ${timing}/></rect>`;
}

/** A bar that is green at the start of its animation. */
function turning(attributes: string): string {
  return `<rect width="160" height="40" fill="red"><animate attributeName="fill" values="${GREEN};blue" dur="0.7s" repeatCount="indefinite" ${attributes}/></rect>`;
}

/** A green bar that has other colours during its animation. */
function blinking(attributes: string): string {
  return `<rect width="160" height="40" fill="${GREEN}"><animate attributeName="fill" values="red;blue" dur="0.7s" repeatCount="indefinite" ${attributes}/></rect>`;
}

/** Four frames, 100 ms each, in an endless loop. */
async function sharpFrames(type: 'gif' | 'webp'): Promise<Buffer> {
  const inputs = await Promise.all(
    FRAMES.map((colour) =>
      sharp({ create: { width: CELL, height: CELL, channels: 4, background: toCss(colour) } })
        .png()
        .toBuffer(),
    ),
  );
  const joined = sharp(inputs, { join: { animated: true } });
  const options = { delay: 100, loop: 0 };
  return await (type === 'gif' ? joined.gif(options) : joined.webp({ ...options, lossless: true })).toBuffer();
}

/** An APNG file of plain frames, 100 ms each, in an endless loop (PNG specification, third edition, 11.3.2). */
function apng(colours: readonly Colour[]): Buffer {
  let sequence = 0;
  const frames = colours.flatMap((colour, index) => {
    const row = Buffer.from([0, ...Array.from({ length: CELL }, () => colour).flat()]);
    const pixels = deflateSync(Buffer.concat(Array.from({ length: CELL }, () => row)));
    // Sequence number, width, height, x, y, then the delay as a fraction of a second, and the blend mode.
    const control = [uint32(sequence++, CELL, CELL, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])];
    const picture = index === 0 ? chunk('IDAT', pixels) : chunk('fdAT', uint32(sequence++), pixels);
    return [chunk('fcTL', ...control), picture];
  });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', uint32(CELL, CELL), Buffer.from([8, 2, 0, 0, 0])),
    chunk('acTL', uint32(colours.length, 0)),
    ...frames,
    chunk('IEND'),
  ]);
}

function chunk(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const checked = Buffer.concat([Buffer.from(type), body]);
  return Buffer.concat([uint32(body.length), checked, uint32(crc32(checked))]);
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
