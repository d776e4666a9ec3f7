import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

const MANIFESTS = join(import.meta.dirname, '../../deploy/kubernetes');
const LIMIT_MS = 50_000;

const version = spawnSync('kubectl', ['version', '--client', '--output=json'], { timeout: LIMIT_MS });

/**
 * True if kubectl is installed (Debian: `apt-get install kubernetes-client`). Tests that need it are skipped otherwise,
 * and their names say why.
 */
export const HAS_KUBECTL = version.status === 0;

/** Returns the objects that `kubectl apply -k deploy/kubernetes/<folder>` would send. */
export function renderManifests(folder: string): unknown[] {
  const copy = mkdtempSync(join(tmpdir(), 'manifests-test-'));
  try {
    cpSync(MANIFESTS, copy, { recursive: true });
    if (!version.stdout.includes('kustomizeVersion')) {
      for (const file of globSync('**/kustomization.yaml', { cwd: copy })) useOldWords(join(copy, file));
    }
    const text = execFileSync('kubectl', ['kustomize', join(copy, folder)], {
      encoding: 'utf8',
      timeout: LIMIT_MS,
    });
    return parseAllDocuments(text).map((document) => document.toJS());
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Debian 12 has kubectl 1.20 with the kustomize of 2019. It expects folders in `bases` instead of `resources`, and
 * files in `patchesJson6902` instead of `patches`. Remove this with Debian 12.
 */
function useOldWords(file: string): void {
  const { resources, patches, ...rest }: Kustomization = parse(readFileSync(file, 'utf8'));
  const patchesJson6902 = patches?.map(({ target, patch }, index) => {
    writeFileSync(join(dirname(file), `patch-${index}.yaml`), patch);
    return { target, path: `patch-${index}.yaml` };
  });
  const bases = resources.filter((resource) => !isFile(resource));
  writeFileSync(file, stringify({ ...rest, bases, resources: resources.filter(isFile), patchesJson6902 }));
}

function isFile(resource: string): boolean {
  return resource.endsWith('.yaml');
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly target: object; readonly patch: string }[];
}
