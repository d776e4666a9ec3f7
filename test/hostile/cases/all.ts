import type { HostileCase } from '../hostile-case.ts';
import { ACTION_CASES } from './actions.ts';
import { ADDRESS_CASES } from './addresses.ts';
import { CHANNEL_CASES } from './channels.ts';
import { DOCUMENT_CASES } from './documents.ts';
import { FROM_OUTSIDE_CASES } from './from-outside.ts';
import { BOMB_CASES } from './bombs.ts';
import { BLOCKED_REQUESTS_CASES } from './blocked-requests.ts';
import { NAME_CASES } from './names.ts';
import { OPTION_CASES } from './options.ts';
import { READING_CASES } from './reading.ts';
import { REDIRECT_CASES } from './redirects.ts';
import { REQUEST_CASES } from './requests.ts';
import { SCHEME_CASES } from './schemes.ts';
import { SCRIPT_CASES } from './scripts.ts';
import { SELECTOR_CASES } from './selectors.ts';
import { SERVER_CASES } from './servers.ts';

interface CaseGroup {
  readonly name: string;
  readonly cases: readonly HostileCase[];
}

/** Every case, in the order of the table. */
export const CASE_GROUPS: readonly CaseGroup[] = [
  { name: 'Forbidden addresses', cases: ADDRESS_CASES },
  { name: 'Invalid addresses', cases: SCHEME_CASES },
  { name: 'Names and DNS', cases: NAME_CASES },
  { name: 'Redirects', cases: REDIRECT_CASES },
  { name: 'Channels', cases: CHANNEL_CASES },
  { name: 'Scripts', cases: SCRIPT_CASES },
  { name: 'Servers', cases: SERVER_CASES },
  { name: 'Bombs', cases: BOMB_CASES },
  { name: 'Page reading', cases: READING_CASES },
  { name: 'Selectors', cases: SELECTOR_CASES },
  { name: 'Requests', cases: REQUEST_CASES },
  { name: 'Options', cases: OPTION_CASES },
  { name: 'Documents', cases: DOCUMENT_CASES },
  { name: 'Blocked hosts', cases: BLOCKED_REQUESTS_CASES },
  { name: 'Actions', cases: ACTION_CASES },
  { name: 'Faults found from outside', cases: FROM_OUTSIDE_CASES },
];
