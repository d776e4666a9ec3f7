import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedQuery } from '../../src/core/access/signature.ts';
import { capture } from '../support/http.ts';
import { type RawAnswer, send } from '../support/raw-http.ts';
import { templateFolders } from '../support/template-folders.ts';
import type { CaseAnswer, Fields, Scene } from './hostile-case.ts';
import { type KeyId, keyFile, secretOf, tokenOf } from './hostile-keys.ts';
import { HOSTILE_TEMPLATES } from './hostile-templates.ts';
import { createWorld, type World } from './world.ts';

/** Path, body and other parts of a request. */
export type Call = readonly [
  path: string,
  body?: object | string | undefined,
  more?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
];

/** Starts a world whose service has keys, templates, jobs and tools. The caller closes it. */
export async function createKeyedWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await templateFolders({ 'keys.json': keyFile() }));
  const templates = stack.use(await templateFolders(HOSTILE_TEMPLATES));
  const world = stack.use(
    await createWorld({
      AUTH_TOKEN: tokenOf('default'),
      URL_SIGNING_SECRET: secretOf('default'),
      SIGNED_URL_ALLOW: 'custom_js',
      KEYS_FILE: join(folder, 'keys.json'),
      TEMPLATES_DIR: templates.folder,
      DATA_DIR: join(folder, 'data'),
      MCP: 'true',
    }),
  );
  const owned = stack.move();
  return { ...world, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Sends a request as a key: a POST if it has a body, otherwise a GET. */
export function callAs({ service }: Pick<Scene, 'service'>, key: KeyId, call: Call): Promise<RawAnswer> {
  const [path, body, { method = body === undefined ? 'GET' : 'POST', headers } = {}] = call;
  return send(service, {
    method,
    path,
    headers: {
      authorization: `Bearer ${tokenOf(key)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Returns requests that send each of these calls as a key. */
export function callsAs(scene: Scene, key: KeyId, calls: readonly Call[]): (() => Promise<CaseAnswer>)[] {
  return calls.map((call) => () => callAs(scene, key, call));
}

/** Returns requests that make each of these captures as a key. */
export function capturesAs({ service }: Scene, key: KeyId, given: readonly Fields[]): (() => Promise<CaseAnswer>)[] {
  return given.map((fields) => () => capture(service, fields, { token: tokenOf(key) }));
}

/** Returns requests that follow each of these links without a token. */
export function follow({ service }: Scene, queries: readonly string[]): (() => Promise<CaseAnswer>)[] {
  return queries.map((query) => () => send(service, { method: 'GET', path: `/capture?${query}` }));
}

/** Returns a call of a tool for agents. */
export function toolCall(name: string, given: object): Call {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  return ['/mcp', body, { headers: { accept: 'application/json, text/event-stream' } }];
}

/** Returns the query of a link that a key has signed. `params` may name another key. */
export function linkOf(key: KeyId, params: Readonly<Record<string, string>>): string {
  const named = key === 'default' ? {} : { key };
  return signedQuery(new Map(Object.entries({ ...named, ...params })), secretOf(key));
}

/** Removes a key from KEYS_FILE. */
export async function removeKey({ keysFile }: Scene, key: KeyId): Promise<void> {
  const { keys } = keyFile();
  await writeFile(keysFile, JSON.stringify({ keys: keys.filter(({ id }) => id !== key) }));
}
