import { readdirSync, readlinkSync } from 'node:fs';

/** Whether a process has this socket open, by its inode; undefined when its files can't be seen. `pid` may be `self`. */
export function hasSocket(pid: number | 'self', inode: string): boolean | undefined {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((file) => linkOf(`${folder}/${file}`) === `socket:[${inode}]`);
  } catch {
    return undefined; // it is gone, or not for us to look at
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}
