// Sends generated requests to services with and without keys, by their own OpenAPI document: npm run test:fuzz --
// [examples]. Needs schemathesis (`pip install schemathesis`).
import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/support/service.ts';
import { templateFolders } from '../test/support/template-folders.ts';

const FOLDER = join(import.meta.dirname, '../test/fuzz');
const TOKEN = 'token-of-the-fuzzer';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const [examples = '60'] = process.argv.slice(2);

const command = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(command, ['--version']).status !== 0) {
  console.error('fuzz: schemathesis is missing: pip install schemathesis, or set SCHEMATHESIS to its program');
  process.exit(2);
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'fuzz-'));
const keysFile = join(folder.path, 'keys.json');
const key = { id: 'shop', token_sha256: [hash('sha256', TOKEN, 'hex')], scopes: ['capture', 'jobs', 'sign'] };
await writeFile(keysFile, JSON.stringify({ keys: [{ ...key, signing_secrets: ['s'.repeat(40)] }] }));
await using templates = await templateFolders({
  'card/template.json': { fields: {} },
  'card/index.html': '<h1>{{ data.title }}</h1>',
});

/** No address can be reached. */
const OFFLINE = { EGRESS_ALLOW: '', EGRESS_DENY: '0.0.0.0/0,::/0', MAX_WAIT_MS: '1000', CAPTURE_TIMEOUT_MS: '8000' };
const SERVICES = [
  { name: 'without a token', settings: {}, hasToken: false },
  {
    name: 'with a token, jobs, webhooks and templates',
    settings: { AUTH_TOKEN: TOKEN, WEBHOOK_SECRET, TEMPLATES_DIR: templates.folder },
    hasToken: true,
  },
  { name: 'with keys', settings: { KEYS_FILE: keysFile, WEBHOOK_SECRET }, hasToken: true },
];

for (const { name, settings, hasToken } of SERVICES) {
  console.log(`fuzz: a service ${name}`);
  await using service = await startService(
    { ...OFFLINE, ...settings, RATE_LIMIT_ENABLED: 'false' },
    { stores: hasToken },
  );
  const child = spawn(
    command,
    [
      '--config-file',
      join(FOLDER, 'schemathesis.toml'),
      'run',
      `${service.url}/openapi.json`,
      '--continue-on-failure',
      '--request-timeout=20',
      `--max-examples=${examples}`,
      ...(hasToken ? [`--header=Authorization: Bearer ${TOKEN}`] : []),
    ],
    { stdio: 'inherit', cwd: folder.path, env: { ...process.env, PYTHONPATH: FOLDER, SCHEMATHESIS_HOOKS: 'hooks' } },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}
