import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { FinishedRequest } from '../../../src/core/ground/finished-request.ts';
import { COMPAT_NAMES } from '../../../src/parts/compat/compat-setting.ts';
import { ALL_ROUTES, appWith, NO_METRICS } from '../../support/app.ts';

const EVERYTHING = { authToken: 'token', mcp: true, compat: [...COMPAT_NAMES] };

describe.each(ALL_ROUTES)('the route $path', ({ path, methods, name, callers, operations = {} }) => {
  it('accepts only the methods of its row', async () => {
    const answer = await request(appWith(EVERYTHING)).put(path);

    expect([answer.status, answer.headers['allow']]).toEqual([405, methods.join(', ')]);
  });

  it('accepts only the credentials of its row', async () => {
    const agent = request(appWith(EVERYTHING));

    const { status } = await (methods.includes('GET') ? agent.get(path.replace(':name', 'readme')) : agent.post(path));

    const otherwise = callers === 'link to a file' ? 403 : 401;
    expect(status).toBe(callers === 'anyone' ? 200 : otherwise);
  });

  it('is counted under its route name', async () => {
    const counted: FinishedRequest[] = [];
    const metrics = { ...NO_METRICS, recordRequest: (finished: FinishedRequest) => counted.push(finished) };

    await request(appWith({ metrics })).put(path);

    expect(counted.map(({ route }) => route)).toEqual([name ?? 'other']);
  });

  it('is documented for its methods', () => {
    expect(methods).toEqual(expect.arrayContaining(Object.keys(operations).map((method) => method.toUpperCase())));
  });
});

describe('ROUTES', () => {
  it('has unique paths and names', () => {
    // all routes of another service share one name
    const theirs: readonly string[] = COMPAT_NAMES;
    const names = ALL_ROUTES.flatMap(({ name }) => name ?? []).filter((name) => ![...theirs, 'health'].includes(name));

    const paths = ALL_ROUTES.map(({ path }) => path).filter((path) => path !== '/health'); // Gotenberg's is in its place
    expect(new Set(paths).size).toBe(paths.length);
    expect(new Set([...names, 'other']).size).toBe(names.length + 1);
  });
});
