import { FEATURES } from '../../../features.ts';
import { expandContent } from '../../steps/readiness/expand-content.ts';
import { z } from 'zod';
import { pictureFields, resizeFields } from '../formats/raster-fields.ts';
import { type Delivery, deliveryFields } from './delivery.ts';
import { sourceFields } from './source-fields.ts';
import { appearanceCheck } from '../../steps/appearance.ts';
import { area, type ComparedOptions } from '../../steps/area.ts';
import { cookies } from '../../steps/cookies.ts';
import { customHeaders } from '../../steps/custom-headers.ts';
import { customScript } from '../../steps/custom-script.ts';
import { device } from '../../steps/device.ts';
import { geolocation } from '../../steps/geolocation.ts';
import { initScript } from '../../steps/init-script.ts';
import { storageState } from '../../steps/storage-state.ts';
import { httpAuth } from '../../steps/http-auth.ts';
import { media } from '../../steps/media.ts';
import { runAhead } from '../../steps/readiness/run-ahead.ts';
import { certificates } from '../../steps/tolerance.ts';
import { viewport } from '../../steps/viewport.ts';
import { visitor } from '../../steps/visitor.ts';
import { waitsCheck } from '../../steps/waits.ts';
import { type Feature, fieldsAt } from '../../feature.ts';
import type { OwnSite } from '../../egress/gate/own-site.ts';
import { integerField } from '../../steps/common/fields.ts';

/** Thirty days. */
export const LONGEST_TTL_SECONDS = 2_592_000;

const cacheFields = z.object({
  cache_ttl: integerField(
    { min: 0, max: LONGEST_TTL_SECONDS },
    {
      description:
        'Maximum age of a cached answer to the same request, in seconds. 0: always capture. Unset: `CACHE_TTL`',
      example: 3600,
    },
  ).optional(),
});

const { response_type: responseType, ...otherDelivery } = deliveryFields.shape;

/**
 * The schema of a capture request, composed of the schemas of steps, formats and features. All defaults are in these
 * schemas, so every option with a default has a value after parsing.
 */
export const captureSchema = z.strictObject({
  ...sourceFields.shape,
  ...fieldsAt(FEATURES, 'source'),
  response_type: responseType, // before `include` in the documentation
  ...fieldsAt(FEATURES, 'answer'),
  ...area.schema.shape,
  ...device.schema.shape,
  ...viewport.schema.shape,
  ...resizeFields.shape,
  ...fieldsAt(FEATURES, 'act'),
  ...waitsCheck.schema.shape,
  ...runAhead.schema.shape,
  ...fieldsAt(FEATURES, 'requests'),
  ...appearanceCheck.schema.shape,
  ...expandContent.schema.shape,
  ...fieldsAt(FEATURES, 'look'),
  ...media.schema.shape,
  ...visitor.schema.shape,
  ...customHeaders.schema.shape,
  ...cookies.schema.shape,
  ...storageState.schema.shape,
  ...httpAuth.schema.shape,
  ...geolocation.schema.shape,
  ...initScript.schema.shape,
  ...customScript.schema.shape,
  ...certificates.schema.shape,
  ...pictureFields.shape,
  ...fieldsAt(FEATURES, 'formats'),
  ...cacheFields.shape,
  ...otherDelivery,
});

/** All fields of a request with their defaults, before they are split. */
export type RequestFields = z.output<typeof captureSchema> & { readonly cache_ttl: number };

/** What decides the result of a capture. The cache key is made of it. */
export type CaptureOptions = Omit<RequestFields, keyof Delivery | 'include' | 'files'> &
  ComparedOptions & {
    /** The parts that the answer contains. Undefined: the answer is the file alone. */
    readonly include?: readonly (NonNullable<RequestFields['include']>[number] | 'elements')[] | undefined;
    /** Files beside the markup: those of the request, or of the template. */
    readonly ownSite?: OwnSite;
  };

/** The options of a request. `parseOptions` sets `cache_ttl` from the settings. */
export interface RequestOptions {
  readonly capture: CaptureOptions;
  readonly delivery: Delivery;
}

/**
 * Returns the host of the page, for the log: the rest of a URL may contain secrets. The name of the field for supplied
 * markup.
 */
export function targetOf({ url, markdown_content: markdown }: CaptureOptions): string | undefined {
  if (url !== undefined) return URL.parse(url)?.host;
  return markdown === undefined ? 'html_content' : 'markdown_content';
}

/** Returns options as text that is equal for equal options, whatever the order of their fields. */
export function textOfOptions(options: CaptureOptions): string {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(fields);
}

export const features: readonly Feature<CaptureOptions>[] = FEATURES;

/** Names of all request fields. */
export const FIELD_NAMES: readonly string[] = Object.keys(captureSchema.shape);
