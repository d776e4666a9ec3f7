import type { HostileCase } from '../hostile-case.ts';
import { ADDRESS_CASES } from './addresses.ts';
import { CHANNEL_CASES } from './channels.ts';
import { NAME_CASES } from './names.ts';
import { REDIRECT_CASES } from './redirects.ts';
import { SCHEME_CASES } from './schemes.ts';

interface CaseGroup {
  readonly name: string;
  readonly cases: readonly HostileCase[];
}

/** Every case, in the order of the table. */
export const CASE_GROUPS: readonly CaseGroup[] = [
  { name: 'Addresses that must not be reached', cases: ADDRESS_CASES },
  { name: 'What is no web address', cases: SCHEME_CASES },
  { name: 'Names and DNS', cases: NAME_CASES },
  { name: 'Redirects', cases: REDIRECT_CASES },
  { name: 'Channels', cases: CHANNEL_CASES },
];
