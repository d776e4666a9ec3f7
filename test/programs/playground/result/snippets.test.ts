import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceivingApp } from '../../../support/receiving-app.ts';
import { SNIPPETS } from '../../../../src/programs/playground/result/snippets.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
/** Languages that the machine may lack. */
const MORE = { Go: 'go', PHP: 'php', Ruby: 'ruby' } as const;
/** Go compiles its library first. */
const GO_COMPILES_MS = 90_000;
const isInstalled = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const LANGUAGES = [
  ...(['curl', 'Command line', 'Client', 'TypeScript', 'Python'] as const),
  ...(['Go', 'PHP', 'Ruby'] as const).filter((name) => isInstalled(MORE[name])),
];
const RUNNERS = {
  'Command line': { program: 'sh', file: 'command.sh' },
  Client: { program: process.execPath, file: 'client.mts' },
  curl: { program: 'sh', file: 'code.sh' },
  TypeScript: { program: process.execPath, file: 'code.ts' },
  Python: { program: 'python3', file: 'code.py' },
  Go: { program: 'sh', file: 'go.sh' },
  PHP: { program: 'php', file: 'code.php' },
  Ruby: { program: 'ruby', file: 'code.rb' },
} as const;
const VALUES = {
  url: `https://example.com/?a='b'&c="d"&e=$HOME&f=\`g\`\\n`,
  full_page: true,
  javascript: false,
  pixel_density: 1.5,
  hide_selectors: ['.a', '[b="c"]'],
  clip: { x: 0, y: 1, width: 2, height: 3 },
  cookies: [{ name: 'ä', value: '😀', secure: true }],
  html_content: "<p title='x'>\nline\u2028two</p>",
  fail_if_text: '@home',
  fail_unless_text: '-none',
};

/** Replaces the installed packages by the sources. */
function fromSource(code: string): string {
  return code
    .replace('npx capture-service', `${process.execPath} ${join(ROOT, 'src/programs/cli/main.ts')}`)
    .replace("'capture-service-client'", `'${join(ROOT, 'src/programs/client/index.ts')}'`);
}

/** `go run` needs a folder for its cache, and a file with the ending `.go`. */
function goScript(code: string): string {
  return `cat > code.go <<'END_OF_GO'\n${code}\nEND_OF_GO\nGOCACHE=\${TMPDIR:-/tmp}/go-cache GOFLAGS=-mod=mod go run code.go`;
}

describe('SNIPPETS', () => {
  let server: Server;
  let folder: string;
  let endpoint: string;
  beforeAll(async () => {
    // Echoes the request.
    server = createServer((request, response) => {
      const { authorization, 'content-type': type } = request.headers;
      void text(request).then((body) => {
        response.end(JSON.stringify({ authorization, type, method: request.method, body: JSON.parse(body) }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
    endpoint = `http://127.0.0.1:${address.port}/capture`;
    folder = await mkdtemp(join(tmpdir(), 'snippet-test-'));
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(LANGUAGES)(
    'sends exactly the set fields, as %s',
    async (language) => {
      const filename = `${LANGUAGES.indexOf(language)}.png`;
      const code = SNIPPETS[language]({ endpoint, values: VALUES, filename, needsToken: true });
      const { program, file } = RUNNERS[language];
      await writeFile(join(folder, file), fromSource(code));
      if (language === 'Go') await writeFile(join(folder, file), goScript(code));

      await run(program, [file], {
        cwd: folder,
        env: { PATH: process.env['PATH'], CAPTURE_TOKEN: 'a-token' },
      });

      expect(JSON.parse(await readFile(join(folder, filename), 'utf8'))).toEqual({
        authorization: 'Bearer a-token',
        type: 'application/json',
        method: 'POST',
        // The command line sends the format that the name of the file means.
        body: language === 'Command line' ? { ...VALUES, format: 'png' } : VALUES,
      });
    },
    GO_COMPILES_MS,
  );

  it.each(LANGUAGES)('reads files from the disk, as %s', async (language) => {
    await using app = await startReceivingApp();
    const files = { 'style.css': 'bm90IHRoaXM=', 'a b.svg': 'bm90IHRoaXM=' };
    const values = { html_content: '<p style="a: b; c: d">', files };
    for (const name of Object.keys(files)) await writeFile(join(folder, name), 'from the disk');
    const code = SNIPPETS[language]({
      endpoint: `${app.url}/capture`,
      values,
      filename: 'a.png',
      needsToken: false,
    });
    const { program, file } = RUNNERS[language];
    await writeFile(join(folder, file), fromSource(code));
    if (language === 'Go') await writeFile(join(folder, file), goScript(code));

    await run(program, [file], { cwd: folder, env: { PATH: process.env['PATH'] } });

    const [received] = app.received;
    expect(received?.html_content).toBe(values.html_content);
    expect([...(received?.ownSite?.files ?? [])].map(([name, { body }]) => [name, body.toString()])).toEqual(
      Object.keys(files).map((name) => [name, 'from the disk']),
    );
  });

  it.each(LANGUAGES)('has no token if none is required, as %s', (language) => {
    const code = SNIPPETS[language]({ endpoint, values: VALUES, filename: 'a.png', needsToken: false });

    expect(code).not.toMatch(/token|authorization|environ|process\./i);
  });
});
