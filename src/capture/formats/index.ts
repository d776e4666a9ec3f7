import type { Format } from './format.ts';
import { html } from './html.ts';
import { pdf } from './pdf.ts';
import { raster } from './raster.ts';

export const FORMAT_NAMES = ['png', 'jpeg', 'webp', 'pdf', 'html'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Every output format. Side limits: what Chrome's encoders can hold (measured 2026-11-20: past them, no bytes and no error). */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  png: raster({ name: 'png', hasAlpha: true }),
  jpeg: raster({ name: 'jpeg', hasAlpha: false, maxSide: 65_500 }),
  webp: raster({ name: 'webp', hasAlpha: true, maxSide: 16_383 }),
  pdf,
  html,
};
