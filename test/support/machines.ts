import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Machine } from './service.ts';

const NOBODY = 65_534;
const WITHOUT_NAMESPACES = join(import.meta.dirname, 'without-namespaces.pl');
const SERVICE = join(import.meta.dirname, '../../dist/main.js');

/** As a user who is not root: as we are, unless we are root. */
export const AS_USER: Machine = {
  user: process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined,
  wrapper: [],
};

/** And on a machine that makes no user namespaces. */
export const WITHOUT_USER_NAMESPACES: Machine = { ...AS_USER, wrapper: ['perl', WITHOUT_NAMESPACES] };

/** And on one that makes them, but lets nobody change the root folder in them. */
export const WITHOUT_CHROOT: Machine = { ...AS_USER, wrapper: ['perl', WITHOUT_NAMESPACES, '--no-chroot'] };

/** Whether there is such a machine, and its user can read the service: a clone in root's own home nobody else can. */
export function isThere(machine: Machine): boolean {
  return runs(machine, [process.execPath, '-e', `require('node:fs').accessSync(${JSON.stringify(SERVICE)})`]);
}

/** Whether this machine makes user namespaces for the user. */
export function makesUserNamespaces(machine: Machine): boolean {
  return runs(machine, ['unshare', '--user', 'true']);
}

function runs({ user, wrapper }: Machine, command: readonly string[]): boolean {
  const [program = '', ...args] = [...wrapper, ...command];
  return spawnSync(program, args, { ...user, stdio: 'ignore' }).status === 0;
}
