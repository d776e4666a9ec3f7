import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPTS = globSync(['bench/*.mjs', 'scripts/**/*.mjs'], { cwd: ROOT }).toSorted();

describe('npm run bench', () => {
  it('lists the benchmarks if the name is unknown, and each has a file and a row in bench/README.md', () => {
    const names = listBenchmarks();

    const documents = readFileSync(join(ROOT, 'bench/README.md'), 'utf8');
    expect(names.length).toBeGreaterThan(5);
    for (const name of names.filter((each) => each !== 'compare')) {
      expect(SCRIPTS).toContain(`bench/${name}.mjs`);
      expect(documents).toMatch(new RegExp(`^\\|.*\`${name}[ \`]`, 'm'));
    }
  });
});

describe('scripts', () => {
  it('import only build modules that have a source file', () => {
    const missing = SCRIPTS.flatMap((script) =>
      [...readFileSync(join(ROOT, script), 'utf8').matchAll(/'(?:\.\.\/)+dist\/([^']+)\.js'/g)]
        .filter(([, path]) => !existsSync(join(ROOT, `src/${path}.ts`)))
        .map(([module]) => `${script}: ${module}`),
    );

    expect(missing).toEqual([]);
  });
});

function listBenchmarks(): readonly string[] {
  try {
    execFileSync(process.execPath, [join(ROOT, 'bench/main.mjs'), 'unknown'], { stdio: 'pipe' });
  } catch (error) {
    const [, names = ''] = /choose one of (.*)/.exec(String(Object(error).stderr)) ?? [];
    return names.split(', ');
  }
  throw new Error('An unknown name was accepted');
}
