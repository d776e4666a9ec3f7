import { readFileSync } from 'node:fs';

/** A reason why the sandbox can't start on this machine, and the fix for the operator. */
export interface SandboxRefusal {
  readonly name: string;
  /** Completes the sentence "the browser runs without its sandbox: ". */
  readonly reason: string;
  readonly fix: string;
}

interface Signs {
  readonly isRoot: boolean;
  /** Returns the text of a file, or undefined if it is missing. */
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
    fix: 'run the service as a non-root user',
    applies: ({ isRoot }) => isRoot,
  },
  {
    name: 'max_user_namespaces',
    reason: 'user.max_user_namespaces is 0',
    fix: 'sysctl -w user.max_user_namespaces=15000',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/user/max_user_namespaces`), 0),
  },
  {
    // Debian before 11, and kernels with the same patch.
    name: 'unprivileged_userns_clone',
    reason: 'kernel.unprivileged_userns_clone is 0',
    fix: 'sysctl -w kernel.unprivileged_userns_clone=1',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/kernel/unprivileged_userns_clone`), 0),
  },
  {
    name: 'seccomp',
    reason: 'a seccomp filter, the default in containers, blocks its system calls',
    fix: 'start the container with deploy/seccomp.json, see docs/deploying.md',
    applies: ({ read }) => /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? ''),
  },
  {
    // Ubuntu since 23.10.
    name: 'apparmor',
    reason: 'AppArmor blocks user namespaces for programs without a profile',
    fix: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give the browser a profile with the line "userns,"',
    applies: ({ read }) => isNumber(read(`${SYSCTL}/kernel/apparmor_restrict_unprivileged_userns`), 1),
  },
];

const UNKNOWN: SandboxRefusal = {
  name: 'unknown',
  reason: 'this machine does not allow it',
  fix: 'allow user namespaces and chroot inside them, see docs/deploying.md',
};

/**
 * Returns possible reasons, never an empty list. A reason is no proof: only starting a browser shows whether the
 * sandbox works.
 */
export function findSandboxRefusals(
  signs: Signs = { isRoot: isRoot(), read: readText },
): readonly [SandboxRefusal, ...SandboxRefusal[]] {
  const [first = UNKNOWN, ...others] = ROWS.filter(({ applies }) => applies(signs)).map(({ name, reason, fix }) => ({
    name,
    reason,
    fix,
  }));
  return [first, ...others];
}

/** Chrome refuses a sandbox for root. False on systems without a root user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isNumber(text: string | undefined, expected: number): boolean {
  return text !== undefined && Number.parseInt(text, 10) === expected;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // another kernel, or another system than Linux
  }
}
