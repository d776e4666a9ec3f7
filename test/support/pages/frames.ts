import { COLOUR, pictureOf } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, sendHtml, toDocument, type Exchange, type Routes } from './exchange.ts';

/**
 * `/frames`: two 200x100 frames without borders. At (0, 0) one of the same origin, green; at (200, 0) one of another
 * site with a blue picture.
 */
export const FRAMES_PAGE = {
  same: { x: 0, y: 0, width: 200, height: 100, colour: COLOUR.green },
  cross: { x: 200, y: 0, width: 200, height: 100, colour: COLOUR.blue },
} as const;

/** Pages with frames. */
export function frameRoutes(): Routes {
  const { same, cross } = FRAMES_PAGE;
  return {
    '/frames': ({ response, crossSiteOrigin }: Exchange) => {
      const frame = `width="200" height="100" frameborder="0" style="position:absolute;top:0;left:`;
      sendHtml(
        response,
        toDocument({
          body: `<iframe ${frame}${same.x}px" src="/frames/same"></iframe>
<iframe ${frame}${cross.x}px" src="${crossSiteOrigin}/frames/cross"></iframe>`,
        }),
      );
    },
    '/frames/same': page({ body: boxMarkup(same) }),
    '/frames/cross': page({
      body: `<img src="${pictureOf(cross.colour)}?frame" width="${cross.width}" height="${cross.height}" alt="" style="display:block">`,
    }),
  };
}
