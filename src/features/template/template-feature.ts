import { templateFields } from './template-fields.ts';
import type { Feature } from '../../core/feature.ts';

/** Names a template, which a part of the service expands. */
export const TEMPLATE = { fields: { source: templateFields } } satisfies Feature;
