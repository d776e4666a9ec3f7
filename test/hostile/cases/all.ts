import type { HostileCase } from '../hostile-case.ts';
import { ACTION_CASES } from './actions.ts';
import { ADDRESS_CASES } from './addresses.ts';
import { CHANNEL_CASES } from './channels.ts';
import { DOCUMENT_CASES } from './documents.ts';
import { EGRESS_OF_KEYS_CASES } from './egress-of-keys.ts';
import { FROM_OUTSIDE_CASES } from './from-outside.ts';
import { BOMB_CASES } from './bombs.ts';
import { BLOCKED_REQUESTS_CASES } from './blocked-requests.ts';
import { ENDLESS_TEMPLATE_CASES } from './endless-templates.ts';
import { FIELDS_OF_KEYS_CASES } from './fields-of-keys.ts';
import { KEY_CASES } from './keys.ts';
import { LINK_CASES } from './links-of-keys.ts';
import { NAME_CASES } from './names.ts';
import { OPTION_CASES } from './options.ts';
import { READING_CASES } from './reading.ts';
import { REDIRECT_CASES } from './redirects.ts';
import { REQUEST_CASES } from './requests.ts';
import { SCHEME_CASES } from './schemes.ts';
import { SCRIPT_CASES } from './scripts.ts';
import { SELECTOR_CASES } from './selectors.ts';
import { SERVER_CASES } from './servers.ts';
import { TEMPLATE_DATA_CASES } from './template-data.ts';
import { TEMPLATE_CASES } from './templates.ts';

interface CaseGroup {
  readonly name: string;
  readonly cases: readonly HostileCase[];
  /** True if the cases need a service with keys and templates. None of them is part of every test run. */
  readonly isKeyed?: true;
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
  { name: 'API keys', cases: KEY_CASES, isKeyed: true },
  { name: 'Fields of a key', cases: FIELDS_OF_KEYS_CASES, isKeyed: true },
  { name: 'Destinations of a key', cases: EGRESS_OF_KEYS_CASES, isKeyed: true },
  { name: 'Links of a key', cases: LINK_CASES, isKeyed: true },
  { name: 'Data of templates', cases: TEMPLATE_DATA_CASES, isKeyed: true },
  { name: 'Templates', cases: TEMPLATE_CASES, isKeyed: true },
  { name: 'Endless templates', cases: ENDLESS_TEMPLATE_CASES, isKeyed: true },
];
