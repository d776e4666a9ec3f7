import { readFileSync } from 'node:fs';

/** What keeps the browser's sandbox from this machine, and what the operator can do about it. */
export interface SandboxRefusal {
  readonly name: string;
  /** Reads on from "the browser runs without its sandbox: ". */
  readonly reason: string;
  readonly fix: string;
}

interface Signs {
  readonly isRoot: boolean;
  /** The text of a file; undefined where there is none. */
  readonly read: (path: string) => string | undefined;
}

interface Row extends SandboxRefusal {
  readonly applies: (signs: Signs) => boolean;
}

const SYSCTL = '/proc/sys';

const ROWS: readonly Row[] = [
  {
    name: 'root',
    reason: 'it runs as root',
    fix: 'run the service as a user that is not root',
    applies: ({ isRoot }) => isRoot,
  },
  {
    name: 'max_user_namespaces',
    reason: 'user.max_user_namespaces is 0',
    fix: 'sysctl -w user.max_user_namespaces=15000',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/user/max_user_namespaces`), 0),
  },
  {
    // Debian before 11 and kernels patched like its.
    name: 'unprivileged_userns_clone',
    reason: 'kernel.unprivileged_userns_clone is 0',
    fix: 'sysctl -w kernel.unprivileged_userns_clone=1',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/kernel/unprivileged_userns_clone`), 0),
  },
  {
    name: 'seccomp',
    reason: 'a seccomp filter, as containers have by default, refuses what it needs',
    fix: 'start the container with deploy/seccomp.json, see SECURITY.md',
    applies: ({ read }) => /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? ''),
  },
  {
    // Ubuntu since 23.10.
    name: 'apparmor',
    reason: 'AppArmor keeps user namespaces from programs without a profile',
    fix: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give the browser a profile with the line "userns,"',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/kernel/apparmor_restrict_unprivileged_userns`), 1),
  },
];

const UNKNOWN: SandboxRefusal = {
  name: 'unknown',
  reason: 'this machine does not let it start',
  fix: 'allow user namespaces and chroot inside them, see SECURITY.md',
};

/** What speaks against a sandbox here, never empty. That one is listed is no proof: only a browser that was tried tells. */
export function findSandboxRefusals(
  signs: Signs = { isRoot: isRoot(), read: readText },
): readonly [SandboxRefusal, ...SandboxRefusal[]] {
  const [first = UNKNOWN, ...others] = ROWS.filter(({ applies }) => applies(signs)).map(
    ({ name, reason, fix }) => ({ name, reason, fix }),
  );
  return [first, ...others];
}

/** Chrome refuses to have a sandbox then. False on systems without such a user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isNumber(text: string | undefined, wanted: number): boolean {
  return text !== undefined && Number.parseInt(text, 10) === wanted;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // another kernel, or no Linux
  }
}
