import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { startFalseS3 } from '../../support/s3.ts';
import { type RunningService, startService } from '../../support/service.ts';

const SECRET = 'secret-key-of-the-test';
const markup = { html_content: '<h1>Kept</h1>', window_width: 200, window_height: 100 };

/** A bucket in memory. Its answers are replaced while it has a fault. */
function createBucket() {
  const files = new Map<string, Buffer>();
  const bucket: { files: typeof files; fault: RequestListener | undefined; answer: RequestListener } = {
    files,
    fault: undefined,
    answer: (request, response) => {
      const { method, url = '' } = request;
      void buffer(request).then((body) => {
        if (bucket.fault !== undefined) {
          bucket.fault(request, response);
          return;
        }
        const file = files.get(url);
        if (method === 'PUT') files.set(url, body);
        if (method === 'DELETE') files.delete(url);
        if (method === 'GET' && file === undefined)
          response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        else if (method === 'GET') response.writeHead(200, { 'content-length': file?.length }).end(file);
        else response.writeHead(200, { etag: '"a"' }).end();
      });
    },
  };
  return bucket;
}

const refuse =
  (status: number, code: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);

describe('a service whose bucket has faults', () => {
  const bucket = createBucket();
  let server: Awaited<ReturnType<typeof startFalseS3>>;
  let service: RunningService;
  beforeAll(async () => {
    server = await startFalseS3(bucket.answer);
    service = await startService(
      {
        STORAGE: 's3://captures',
        STORAGE_ENDPOINT: server.origin,
        STORAGE_ACCESS_KEY_ID: 'key',
        STORAGE_SECRET_ACCESS_KEY: SECRET,
      },
      { stores: true },
    );
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const store = () => capture(service.url, { ...markup, store: true });
  const submit = async (): Promise<string> => {
    const response = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ capture: markup }),
    });
    const { id } = await response.json();
    return id;
  };
  const becomes = (id: string, expected: object) =>
    eventually(async () => {
      const job = await (await fetch(`${service.url}/jobs/${id}`)).json();
      expect(job).toMatchObject(expected);
      return job;
    });

  it.each<[string, RequestListener, string]>([
    ['SlowDown', refuse(503, 'SlowDown'), 'STORAGE: STORAGE_ENDPOINT answers 503 (SlowDown)'],
    ['AccessDenied', refuse(403, 'AccessDenied'), 'STORAGE: STORAGE_ACCESS_KEY_ID has no permission'],
    ['full disks', refuse(507, 'XMinioStorageFull'), 'STORAGE: the disks of the storage service are full'],
    [
      'a redirect to another host',
      (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'STORAGE: STORAGE_ENDPOINT redirects',
    ],
    ['a closed connection', (request) => request.socket.destroy(), 'STORAGE: STORAGE_ENDPOINT cannot be reached'],
  ])('captures, reports the cause, and stores again afterwards: %s', async (_, fault, details) => {
    bucket.fault = fault;
    const [plain, stored] = [await capture(service.url, markup), await store()];
    bucket.fault = undefined;
    const later = await store();

    expect([plain.status, stored.status, later.status]).toEqual([200, 502, 200]);
    expect(stored.json()).toMatchObject({ error_type: 'StorageError' });
    expect(JSON.stringify(stored.json())).toContain(details);
    expect(service.output() + stored.body.toString()).not.toContain(SECRET);
  });

  it('loses no job: its next attempt stores the result', async () => {
    bucket.fault = refuse(403, 'AccessDenied');
    const id = await submit();
    await eventually(() => expect(service.logs()).toContainEqual(expect.objectContaining({ job: id, end: 'retried' })));
    bucket.fault = undefined;

    await becomes(id, { state: 'done', attempts: 2 });

    expect((await fetch(`${service.url}/jobs/${id}/result`)).status).toBe(200);
  });

  it('never sends other bytes as the result of a job', async () => {
    const id = await submit();
    await becomes(id, { state: 'done' });
    const [path = ''] = [...bucket.files.keys()].filter((key) => key.includes(id.replace('job_', '')));
    const whole = bucket.files.get(path) ?? Buffer.alloc(0);
    const read = async () => {
      const response = await fetch(`${service.url}/jobs/${id}/result`);
      return [response.status, Buffer.from(await response.arrayBuffer()).equals(whole)];
    };

    const answers: unknown[] = [];
    for (const bytes of [whole.subarray(1), Buffer.from(whole.toReversed()), Buffer.alloc(0)]) {
      bucket.files.set(path, bytes);
      answers.push(await read());
    }
    bucket.files.set(path, whole);

    expect(answers).toEqual([
      [502, false],
      [502, false],
      [502, false],
    ]);
    expect(await read()).toEqual([200, true]);
  });
});
