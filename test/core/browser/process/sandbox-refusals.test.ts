import { describe, expect, it } from 'vitest';
import { findSandboxRefusals } from '../../../../src/core/browser/process/sandbox-refusals.ts';

const REFUSING: readonly (readonly [name: string, path: string, text: string, otherwise: string])[] = [
  ['max_user_namespaces', '/proc/sys/user/max_user_namespaces', '0\n', '96365\n'],
  ['unprivileged_userns_clone', '/proc/sys/kernel/unprivileged_userns_clone', '0\n', '1\n'],
  ['seccomp', '/proc/self/status', 'Name:\tnode\nSeccomp:\t2\n', 'Seccomp:\t0\nSeccomp_filters:\t2\n'],
  ['apparmor', '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n', '0\n'],
];

const namesOf = (files: Record<string, string>, isRoot = false): string[] =>
  findSandboxRefusals({ isRoot, read: (path) => files[path] }).map(({ name }) => name);

describe('the cause of a missing sandbox', () => {
  it.each(REFUSING)('is %s according to %s', (name, path, text, otherwise) => {
    expect(namesOf({ [path]: text })).toEqual([name]);
    expect(namesOf({ [path]: otherwise })).toEqual(['unknown']);
  });

  it('is root, whatever else applies', () => {
    expect(namesOf({ '/proc/self/status': 'Seccomp:\t2\n' }, true)).toEqual(['root', 'seccomp']);
  });

  it('is unknown if no file shows it', () => {
    expect(namesOf({})).toEqual(['unknown']);
  });

  it('has an explanation and a fix', () => {
    const read = (path: string) => REFUSING.find(([, each]) => each === path)?.[2];

    const refusals = findSandboxRefusals({ isRoot: true, read });

    expect(refusals).toHaveLength(REFUSING.length + 1);
    expect(refusals.filter(({ reason, fix }) => reason === '' || fix === '')).toEqual([]);
  });
});
