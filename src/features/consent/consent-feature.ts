import { bannerFields, cookieBannerCheck, cookieBanners, lateCookieBanners } from './cookie-banners.ts';
import type { Feature } from '../../core/feature.ts';

/** Answers or removes cookie banners. */
export const CONSENT = {
  fields: { look: bannerFields },
  after: {
    loaded: [cookieBanners],
    ahead: [lateCookieBanners],
    delayed: [lateCookieBanners],
    painted: [cookieBannerCheck],
  },
} satisfies Feature;
