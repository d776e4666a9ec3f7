import { readdirSync, readlinkSync } from 'node:fs';

/** The sockets that a process has open, by their inodes; undefined when its files can't be seen. `pid` may be `self`. */
export function socketsOf(pid: number | 'self'): ReadonlySet<string> | undefined {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder);
    return new Set(
      files.flatMap((file) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${file}`))?.[1] ?? []),
    );
  } catch {
    return undefined; // it is gone, or not for us to look at
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
