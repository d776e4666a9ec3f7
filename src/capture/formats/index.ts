import type { FormatName } from './format-names.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';
import { markdown } from '../markdown/markdown.ts';
import { mhtml } from './mhtml.ts';
import { pdf } from './pdf.ts';
import { raster } from './raster.ts';
import { singleHtml } from './single-html/single-html.ts';

/**
 * All output formats. The side limits of jpeg and webp are those of Chrome's encoders, which return no bytes and no
 * error beyond them (measured 2026-11-20). Those of avif are its Advanced Profile, which readers need not exceed;
 * encoding takes 36 bytes per pixel.
 */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  png: raster({ name: 'png', hasAlpha: true }),
  jpeg: raster({ name: 'jpeg', hasAlpha: false, maxSide: 65_500 }),
  webp: raster({ name: 'webp', hasAlpha: true, maxSide: 16_383 }),
  avif: raster({ name: 'avif', hasAlpha: true, maxSide: 16_384, maxArea: 35_651_584 }),
  pdf,
  html,
  markdown: markdown(),
  mhtml,
  single_html: singleHtml,
};
