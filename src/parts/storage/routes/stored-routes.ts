import type { StorageState } from '../storage.ts';
import type { Route } from '../../../core/http/routes/route.ts';
import { createStoredLinkCheck, type StoredLinkState } from './stored-link.ts';
import { createStoredHandler } from './stored-route.ts';

export const STORED_ROUTES: readonly Route<StorageState & StoredLinkState>[] = [
  {
    path: '/stored/*path',
    methods: ['GET', 'HEAD'],
    name: 'stored',
    callers: 'link to a file',
    authenticate: createStoredLinkCheck,
    createHandler: createStoredHandler,
  },
];
