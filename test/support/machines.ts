import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Machine } from './service.ts';

const NOBODY = 65_534;
const WITHOUT_NAMESPACES = join(import.meta.dirname, 'without-namespaces.pl');
const SERVICE = join(import.meta.dirname, '../../dist/main.js');

/** Runs as a user other than root: the current one, unless it is root. */
export const AS_USER: Machine = {
  user: process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined,
  wrapper: [],
};

/** Also on a machine without user namespaces. */
export const WITHOUT_USER_NAMESPACES: Machine = { ...AS_USER, wrapper: ['perl', WITHOUT_NAMESPACES] };

/** Also on a machine with user namespaces in which chroot is forbidden. */
export const WITHOUT_CHROOT: Machine = { ...AS_USER, wrapper: ['perl', WITHOUT_NAMESPACES, '--no-chroot'] };

/** True if such a machine is available and its user can read the service: only root can read a clone in root's home. */
export function isThere(machine: Machine): boolean {
  return runs(machine, [process.execPath, '-e', `require('node:fs').accessSync(${JSON.stringify(SERVICE)})`]);
}

/** True if this machine creates user namespaces for the user. */
export function makesUserNamespaces(machine: Machine): boolean {
  return runs(machine, ['unshare', '--user', 'true']);
}

function runs({ user, wrapper }: Machine, command: readonly string[]): boolean {
  const [program = '', ...args] = [...wrapper, ...command];
  return spawnSync(program, args, { ...user, stdio: 'ignore' }).status === 0;
}
