import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const OLDER = '{...process.versions, node: "20.19.0"}';
const PRETEND_OLDER = `data:text/javascript,Object.defineProperty(process, "versions", {value: ${OLDER}})`;

/** Starts an entry file in a Node that reports version 20. The invalid setting would be the next error. */
function start(entry: string) {
  return spawnSync(process.execPath, ['--import', PRETEND_OLDER, join(ROOT, 'src', entry), 'serve'], {
    encoding: 'utf8',
    env: { ...process.env, PORT: 'none' },
    timeout: 20_000,
  });
}

describe('an older version of Node', () => {
  // It links all static imports before it runs anything, so a module that it lacks would be its only message.
  it('links no module that only newer versions have', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.includes('playground'));
    const importing = sources.filter((file) =>
      /^import (?!type )[^;]*from 'node:sqlite'/m.test(readFileSync(join(ROOT, file), 'utf8')),
    );

    expect(sources.length).toBeGreaterThan(300);
    expect(importing).toEqual([]);
  });

  it.each(['main.ts', 'programs/cli/main.ts'])('ends %s with one line that names the needed version', (entry) => {
    const [, needed] = /"engines": \{\s*"node": ">=(\d+)"/.exec(readFileSync(join(ROOT, 'package.json'), 'utf8')) ?? [];

    const { status, stderr } = start(entry);

    expect(stderr).toBe(`capture-service needs Node ${needed} or newer, but this is Node 20.19.0.\n`);
    expect(status).toBe(2);
  });
});
