import type { CDPSession } from 'puppeteer';

/** Formats that may hold several frames. PNG files may be APNG, which only their bytes show. */
const FRAMED_TYPES = new Set(['image/gif', 'image/webp', 'image/avif', 'image/apng', 'image/png']);
const SVG_TYPE = 'image/svg+xml';
const MAX_SVG_PICTURES = 50; // a page may load any number
/** Larger files are not read: an answer of 140 MB blocks the browser for 4 s. */
const MAX_SVG_BYTES = 500_000;

/** An SVG file that a page loaded as a picture. */
interface SvgPicture {
  readonly url: string;
  readonly frameId: string;
}

export interface PictureTypes {
  /** Also records the pictures that this session reports. */
  readonly follow: (session: CDPSession) => void;
  /** True if the page or a frame of it has loaded a picture that may be animated. */
  readonly mayBeFramed: () => boolean;
  /** Returns the SVG pictures up to `MAX_SVG_BYTES` that the page and its same-process frames loaded first. */
  readonly svgPictures: () => readonly SvgPicture[];
}

/** Notes which kinds of pictures a page loads, `data:` URLs included. */
export function createPictureTypes(pageSession: CDPSession): PictureTypes {
  const svgPictures = new Map<string, SvgPicture>(); // by address
  const svgRequests = new Map<string, { readonly url: string; bytes: number }>();
  const largeUrls = new Set<string>();
  let mayBeFramed = false;

  return {
    follow: (session) => {
      session.on('Network.responseReceived', ({ requestId, type, frameId, response: { mimeType, url } }) => {
        mayBeFramed ||= FRAMED_TYPES.has(mimeType);
        if (type !== 'Image' || mimeType !== SVG_TYPE || frameId === undefined) return;
        if (session === pageSession && svgPictures.size < MAX_SVG_PICTURES) svgPictures.set(url, { url, frameId });
        if (svgPictures.has(url)) svgRequests.set(requestId, { url, bytes: 0 });
      });
      session.on('Network.dataReceived', ({ requestId, dataLength }) => {
        const request = svgRequests.get(requestId);
        if (request !== undefined && (request.bytes += dataLength) > MAX_SVG_BYTES) largeUrls.add(request.url);
      });
    },
    mayBeFramed: () => mayBeFramed,
    svgPictures: () => [...svgPictures.values()].filter(({ url }) => !largeUrls.has(url)),
  };
}
