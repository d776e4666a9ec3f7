import type { FormatName } from './format-names.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';
import { markdown } from '../markdown/markdown.ts';
import { mhtml } from './mhtml.ts';
import { pdf } from './pdf.ts';
import { raster } from './raster.ts';

/**
 * Every output format. Side limits of jpeg and webp: what Chrome's encoders can hold (measured 2026-11-20: past them, no bytes and no
 * error). Of avif: its Advanced Profile, beyond which readers need not follow; a pixel takes 36 bytes while it is written, too.
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
};
