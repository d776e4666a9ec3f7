import { readdirSync, readlinkSync } from 'node:fs';

/**
 * Returns the inodes of the sockets that a process has open. Undefined if its files can't be read. `pid` may be `self`.
 * `peer-query.ts` finds the inode of a connection.
 */
export function socketsOf(pid: number | 'self'): ReadonlySet<string> | undefined {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder);
    return new Set(files.flatMap((file) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${file}`))?.[1] ?? []));
  } catch {
    return undefined; // the process has ended, or belongs to another user
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // the file was closed meanwhile
  }
}
