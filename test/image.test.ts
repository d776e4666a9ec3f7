import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');

describe('Dockerfile', () => {
  const instructions = readInstructions('Dockerfile');
  const finalStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const valueOf = (name: string): string =>
    finalStage.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';

  it('runs as a non-root user, named by number', () => {
    expect(valueOf('USER')).toBe('10001:10001');
  });

  it('has tini as process 1 and Node under it, without a shell in between', () => {
    expect(JSON.parse(valueOf('ENTRYPOINT'))).toEqual(['/usr/bin/tini', '--']);
    expect(JSON.parse(valueOf('CMD'))).toEqual(['node', 'dist/main.js']);
  });

  it('checks the readiness of the service without a start of Node', () => {
    const [, command] = valueOf('HEALTHCHECK').split(' CMD ');

    expect(JSON.parse(command ?? '')).toEqual(['capture-service', 'health']);
    expect(finalStage).toContain('COPY deploy/capture-service.sh /usr/local/bin/capture-service');
  });

  it('listens on every address of the container', () => {
    expect(valueOf('ENV').split(' ')).toEqual(expect.arrayContaining(['HOST=0.0.0.0', 'NODE_ENV=production']));
  });

  it('copies neither development packages nor the embedded browser into the image', () => {
    const copied = finalStage.flatMap((line) => /^COPY --from=(\w+) \/app\/node_modules /.exec(line)?.[1] ?? []);
    const stage = instructions.findIndex((line) => line.endsWith(` AS ${copied[0]}`));
    const install = instructions.slice(stage).find((line) => line.startsWith('RUN npm '));

    expect(copied).toHaveLength(1);
    expect(install).toBe('RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/@sparticuz');
  });

  it('has the fonts that office documents name, and hyphenation beside the browser', () => {
    const installed = finalStage.find((line) => line.startsWith('RUN apt-get')) ?? '';

    expect(installed.split(' ')).toEqual(
      expect.arrayContaining(['fonts-liberation', 'fonts-crosextra-carlito', 'fonts-crosextra-caladea']),
    );
    expect(finalStage.join('\n')).toContain('RUN ln -s /app/dist/hyphen-data /usr/lib/chromium/hyphen-data');
  });

  it('has labels, and the software bill of materials of its npm and Debian packages', () => {
    const labels = valueOf('LABEL');
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

    expect(finalStage).toContain(`ARG VERSION=${version}`);

    for (const name of ['title', 'licenses', 'version', 'revision', 'created', 'base.name'])
      expect(labels).toContain(`org.opencontainers.image.${name}=`);
    expect(instructions.join('\n')).toMatch(/npm sbom --sbom-format=spdx .*\/sbom\/npm\.spdx\.json/);
    expect(finalStage).toContain('COPY --from=packages /sbom /app/sbom');
    expect(finalStage.join('\n')).toMatch(/dpkg-query .* > sbom\/debian-packages\.txt/);
  });

  it('gives group 0 the folder of results, for any user', () => {
    expect(finalStage.join('\n')).toContain('--group=0 --mode=2770 /data');
  });

  it('names its base images without a registry', () => {
    const bases = instructions.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);

    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']));
    expect(instructions[0]).toBe('ARG NODE_IMAGE=node:24-trixie-slim');
  });
});

describe('.dockerignore', () => {
  const patterns = readLines('.dockerignore');
  const letThrough = patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : []));

  it('excludes everything first', () => {
    expect(patterns[0]).toBe('*');
    expect(patterns.slice(1)).toEqual(letThrough.map((name) => `!${name}`));
  });

  it.each(['node_modules', '.git', '.env', 'dist'])('excludes %s from the build', (name) => {
    expect(letThrough).not.toContain(name);
  });

  it('includes exactly the files that the Dockerfile copies', () => {
    const copied = readInstructions('Dockerfile')
      .filter((line) => line.startsWith('COPY ') && !line.startsWith('COPY --from='))
      .flatMap((line) => line.split(' ').slice(1, -1));

    expect(new Set(letThrough)).toEqual(new Set(copied));
  });
});

/** Returns the instructions of a Dockerfile, one per line, without comments. */
function readInstructions(file: string): string[] {
  const text = readLines(file).join('\n');
  return text.replaceAll(/\\\n\s*/g, '').split('\n');
}

/** Returns the lines that are neither blank nor comments. */
function readLines(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
