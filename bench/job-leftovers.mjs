import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createClient } from '@redis/client';

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;
const OWN_FILE = /^(jobs\.sqlite(-wal|-shm)?|~key)$/;
const TYPE_FILE = /^\.(.*)~type$/;

/**
 * Files that are neither the service's own, nor the one result of a finished job, nor at a path that a client named.
 */
export async function findFilesWithout(jobs, folder) {
  const storePaths = new Set([...jobs.values()].map(({ storePath }) => storePath));
  const resultOf = new Map();
  const files = await listFiles(folder);
  return files.flatMap((file) => {
    const name = TYPE_FILE.exec(basename(file))?.[1] ?? basename(file);
    const [id = ''] = ID.exec(name) ?? [];
    const result = resultOf.get(id) ?? name;
    resultOf.set(id, result);
    const isResult = jobs.get(id)?.state === 'done' && result === name;
    const isNamed = storePaths.has(relative('storage', join(dirname(file), name)));
    return OWN_FILE.test(name) || isResult || isNamed ? [] : [`file without a job: ${file}`];
  });
}

/** Files that contain the secret, byte for byte. */
export async function findSecretsInFiles(secret, folder) {
  const found = [];
  for (const path of await listFiles(folder)) {
    const bytes = await readFile(join(folder, path)).catch(() => Buffer.alloc(0));
    if (bytes.includes(secret)) found.push(`secret in the file ${path}`);
  }
  return found;
}

/** Keys of Redis that contain the secret, and keys of jobs that do not exist. */
export async function inspectRedis(url, { jobs, secret }) {
  const client = await createClient({ url, RESP: 2 }).connect();
  try {
    const found = [];
    for (const key of await client.keys('*')) {
      const [id] = ID.exec(key) ?? [];
      if (id !== undefined && !jobs.has(id)) found.push(`key without a job: ${key}`);
      const value = await readKey(client, key);
      if (JSON.stringify(value).includes(secret)) found.push(`secret in the key ${key}`);
    }
    if ((await client.hLen('capture-service:jobs:captures')) > 0) found.push('captures of ended jobs are left');
    return found;
  } finally {
    client.destroy();
  }
}

async function readKey(client, key) {
  const READS = {
    string: ['GET', key],
    hash: ['HGETALL', key],
    list: ['LRANGE', key, '0', '-1'],
    set: ['SMEMBERS', key],
    zset: ['ZRANGE', key, '0', '-1'],
    stream: ['XRANGE', key, '-', '+'],
  };
  const read = READS[await client.type(key)];
  return read === undefined ? [] : await client.sendCommand(read); // deleted meanwhile
}

async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
