import { type Action, actionFields } from './action-fields.ts';
import { actions, actionsCheck } from './actions.ts';
import { nameAction } from './stage.ts';
import type { Feature } from '../../core/feature.ts';

/** Acts on the page like a visitor. */
export const ACTIONS = {
  fields: { act: actionFields },
  before: [actionsCheck],
  after: { loaded: [actions] },
  once: [actions],
  addresses: ({ actions: given = [] }: { readonly actions?: readonly Action[] | undefined }) =>
    given.flatMap((action, index) =>
      action.type === 'goto' ? [{ url: action.url, name: nameAction(action, index) }] : [],
    ),
} satisfies Feature;
