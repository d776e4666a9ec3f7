import { actionFields } from '../steps/actions/action-fields.ts';
import { actions, actionsCheck } from '../steps/actions/actions.ts';
import type { Feature } from './feature.ts';

/** Acts on the page like a visitor. */
export const ACTIONS = {
  fields: { act: actionFields },
  before: [actionsCheck],
  after: { loaded: [actions] },
  once: [actions],
} satisfies Feature;
