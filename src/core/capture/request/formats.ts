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
const ALL: Readonly<Partial<Record<FormatName, Format<CaptureOptions>>>> = Object.assign(
  {
    png: raster({ name: 'png', hasAlpha: true }),
    jpeg: raster({ name: 'jpeg', hasAlpha: false, maxSide: 65_500 }),
    webp: raster({ name: 'webp', hasAlpha: true, maxSide: 16_383 }),
    avif: raster({ name: 'avif', hasAlpha: true, maxSide: 16_384, maxArea: 35_651_584 }),
    html,
  },
  ...features.map(({ formats }) => formats),
);

/** The formats that this service has, in the order of the names. */
export const FORMATS: Readonly<Record<FormatName, Format<CaptureOptions>>> = Object.assign(
  {},
  ...FORMAT_NAMES.filter((name) => name in ALL).map((name) => ({ [name]: ALL[name] })),
);
