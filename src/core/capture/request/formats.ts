import type { Format } from '../formats/format.ts';
import { FORMAT_NAMES, type FormatName } from '../formats/format-names.ts';
import { html } from '../formats/html.ts';
import { raster } from '../formats/raster.ts';
import { type CaptureOptions, features } from './options.ts';

/**
 * All output formats. The side limits of jpeg and webp are those of Chrome's encoders, which return no bytes and no
 * error beyond them (measured 2026-11-20). Those of avif are its Advanced Profile, which readers need not exceed;
 * encoding takes 36 bytes per pixel.
 */
export const FORMATS: Readonly<Record<FormatName, Format<CaptureOptions>>> = Object.assign(
  Object.fromEntries(FORMAT_NAMES.map((name) => [name, undefined])), // their order, in all documents
  {
    png: raster({ name: 'png', hasAlpha: true }),
    jpeg: raster({ name: 'jpeg', hasAlpha: false, maxSide: 65_500 }),
    webp: raster({ name: 'webp', hasAlpha: true, maxSide: 16_383 }),
    avif: raster({ name: 'avif', hasAlpha: true, maxSide: 16_384, maxArea: 35_651_584 }),
    html,
  },
  ...features.map(({ formats }) => formats),
);
