import type { z } from 'zod';
import { ACTIONS } from './features/actions/actions-feature.ts';
import { BLOCKING } from './features/blocking/blocking-feature.ts';
import { CONSENT } from './features/consent/consent-feature.ts';
import { DATA } from './features/data/data-feature.ts';
import { DOCUMENTS } from './features/documents/documents-feature.ts';
import type { Feature, FieldPlace } from './core/feature.ts';
import { MARKDOWN } from './features/markdown/markdown-feature.ts';
import { SAVED_PAGES } from './features/saved-pages/saved-pages-feature.ts';
import { TEMPLATE } from './features/template/template-feature.ts';

/**
 * What a capture can do besides the core. Features with the same place follow each other in this order. Not in
 * `list.ts`, whose parts use captures: the types of a request come from here.
 */
export const FEATURES = [
  TEMPLATE,
  DATA,
  BLOCKING,
  CONSENT,
  ACTIONS,
  DOCUMENTS,
  MARKDOWN,
  SAVED_PAGES,
] as const satisfies readonly Feature[];

type Fields = (typeof FEATURES)[number] extends infer Each ? (Each extends { fields: infer Own } ? Own : never) : never;
type ShapesAt<Place> = Fields extends infer Each
  ? Each extends { readonly [place in Place & PropertyKey]: z.ZodObject<infer Shape> }
    ? (shape: Shape) => void
    : never
  : never;
type ShapeAt<Place extends FieldPlace> = ShapesAt<Place> extends (shape: infer Shape) => void ? Shape : never;

/** Returns the fields of all features at this place. */
export function fieldsAt<Place extends FieldPlace>(place: Place): ShapeAt<Place> {
  const features: readonly Feature[] = FEATURES;
  return Object.assign({}, ...features.map(({ fields }) => fields?.[place]?.shape));
}
