import { readFileSync, statSync } from 'node:fs';

/** Returns the addresses of a name in the hosts file. Empty if there are none. */
export type HostsFile = (name: string) => readonly string[];

/** Reads the system's hosts file again when it has changed. An unreadable file counts as empty. */
export function createHostsFile(path = '/etc/hosts'): HostsFile {
  let readAt = -1;
  let entries = new Map<string, string[]>();
  return (name) => {
    try {
      const changedAt = statSync(path).mtimeMs;
      if (changedAt !== readAt) {
        entries = parseHosts(readFileSync(path, 'utf8'));
        readAt = changedAt;
      }
    } catch {
      return []; // also for passing reasons, such as too many open files: the next call reads again
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
