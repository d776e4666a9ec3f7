import { COLOUR, toCss } from '../../support/colour.ts';
import { page, send, type Route, type Routes } from '../../support/pages/exchange.ts';
import sharp from 'sharp';

const BATCH = 4;
const BATCHES = 4;
const SIDE = 200;
const ANSWER_MS = 80;
const PICTURE_MS = 150;

/**
 * `/fidelity/growing-list`: four batches of four pictures in one column. A batch is loaded when the end of the list
 * comes near.
 */
export const GROWN_LIST = {
  x: 0,
  y: 0,
  width: SIDE,
  height: BATCH * BATCHES * SIDE,
  colour: COLOUR.green,
} as const;

/** Lists that grow on scroll, with a request for each batch. */
export function growingListRoutes(): Routes {
  return {
    '/fidelity/growing-list-observed': list(`
  const watch = new IntersectionObserver(([entry]) => { if (entry.isIntersecting) more(); }, { rootMargin: '100px' });
  const again = () => { watch.unobserve(end); watch.observe(end); };
  again();`),
    '/fidelity/growing-list-scrolled': list(`
  const again = () => {};
  const look = () => { if (end.getBoundingClientRect().top < innerHeight + 100) more(); };
  let timer;
  addEventListener('scroll', () => { clearTimeout(timer); timer = setTimeout(look, 150); });
  look();`),
    '/fidelity/batch': ({ response, url }) => {
      const pictures = Array.from({ length: BATCH }, (_, index) => `/fidelity/slow-picture${url.search}-${index}`);
      setTimeout(() => send(response, { type: 'application/json', body: JSON.stringify(pictures) }), ANSWER_MS).unref();
    },
    '/fidelity/slow-picture': async ({ response }) => {
      const create = { width: 20, height: 20, channels: 3 as const, background: toCss(GROWN_LIST.colour) };
      const body = await sharp({ create }).png().toBuffer();
      setTimeout(() => send(response, { type: 'image/png', body }), PICTURE_MS).unref();
    },
  };
}

function list(watch: string): Route {
  return page({
    head: `<style>img { display: block; width: ${SIDE}px; height: ${SIDE}px } #end { height: 0 }</style>`,
    body: `<div id="list"></div><div id="end"></div><script>
let batch = 0;
let isLoading = false;
const more = async () => {
  if (isLoading || batch === ${BATCHES}) return;
  isLoading = true;
  const pictures = await (await fetch('/fidelity/batch?' + batch++)).json();
  for (const src of pictures) list.append(Object.assign(new Image(), { src, alt: '' }));
  isLoading = false;
  again();
};
${watch}
</script>`,
  });
}
