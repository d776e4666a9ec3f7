import type { CDPSession } from 'puppeteer';

/** Formats that may hold several frames. PNG files may be APNG, which only their bytes show. */
const FRAMED_TYPES = new Set(['image/gif', 'image/webp', 'image/avif', 'image/apng', 'image/png']);
const SVG_TYPE = 'image/svg+xml';
const MAX_SVG_PICTURES = 50; // a page may load any number

/** An SVG file that a page loaded as a picture. */
interface SvgPicture {
  readonly url: string;
  readonly frameId: string;
}

export interface PictureTypes {
  /** Follows the pictures of one more protocol session. */
  readonly follow: (session: CDPSession) => void;
  /** True if the page or a frame of it has loaded a picture that may be animated. */
  readonly mayBeFramed: () => boolean;
  /** Returns the SVG pictures that the page and its same-process frames loaded first. */
  readonly svgPictures: () => readonly SvgPicture[];
}

/** Notes which kinds of pictures a page loads, `data:` URLs included. */
export function createPictureTypes(pageSession: CDPSession): PictureTypes {
  const svgPictures = new Map<string, SvgPicture>();
  let mayBeFramed = false;

  return {
    follow: (session) => {
      session.on('Network.responseReceived', ({ type, frameId, response: { mimeType, url } }) => {
        mayBeFramed ||= FRAMED_TYPES.has(mimeType);
        if (type !== 'Image' || mimeType !== SVG_TYPE || frameId === undefined) return;
        if (session === pageSession && svgPictures.size < MAX_SVG_PICTURES)
          svgPictures.set(url, { url, frameId });
      });
    },
    mayBeFramed: () => mayBeFramed,
    svgPictures: () => [...svgPictures.values()],
  };
}
