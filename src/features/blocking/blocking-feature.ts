import { blockByHost } from './by-host.ts';
import { blockByList, listStyles } from './by-list.ts';
import { blockByRequest } from './by-request.ts';
import { blocking } from './blocking.ts';
import { hideBlocked } from './hide-blocked.ts';
import type { Feature } from '../../core/feature.ts';

/** Blocks requests of the page, and hides the places that they leave. */
export const BLOCKING = {
  fields: { requests: blocking.schema.extend(blockByHost.schema.shape).extend(blockByRequest.schema.shape) },
  before: [blocking, blockByHost, blockByRequest, blockByList],
  after: {
    loaded: [listStyles],
    silent: [hideBlocked], // runs before scrolling, so that the remaining page is scrolled
    'laid out': [listStyles, hideBlocked],
    painted: [hideBlocked], // requests that started since the first pass
  },
} satisfies Feature;
