import { readFileSync, statSync } from 'node:fs';

/** Gives the addresses that the hosts file has for a name; none when it has none. */
export type HostsFile = (name: string) => readonly string[];

/** The system's hosts file, read again when it has changed. A file that can't be read counts as empty. */
export function createHostsFile(path = '/etc/hosts'): HostsFile {
  let readAt = -1;
  let entries = new Map<string, string[]>();
  return (name) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === undefined) return [];
    if (changedAt !== readAt) {
      entries = parseHosts(readFileSync(path, 'utf8'));
      readAt = changedAt;
    }
    return entries.get(name) ?? [];
  };
}

function parseHosts(text: string): Map<string, string[]> {
  const entries = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || address === '') continue;
    for (const name of names) {
      const key = name.toLowerCase();
      entries.set(key, [...(entries.get(key) ?? []), address]);
    }
  }
  return entries;
}
