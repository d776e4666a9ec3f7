import type { Feature } from '../../core/feature.ts';
import { createLoadedBytes } from './loaded-bytes.ts';
import { reproducibleFields } from './reproducible-fields.ts';
import { type ReproducibleOptions, steadyEnd, steadyTime } from './steady-time.ts';

/** Makes the same page give the same bytes, and says what they depend on. */
export const REPRODUCIBLE = {
  fields: { look: reproducibleFields },
  before: [steadyTime],
  after: { 'laid out': [steadyEnd] },
  accompany: (page, { reproducible: isReproducible }: ReproducibleOptions) =>
    isReproducible ? createLoadedBytes(page) : {},
} satisfies Feature;
