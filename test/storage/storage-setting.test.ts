import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { parsePlace } from '../../src/storage/storage-setting.ts';

describe('parsePlace', () => {
  it.each([
    ['file:/srv/captures', '/srv/captures'],
    ['file:///srv/captures/', '/srv/captures'],
    ['file:captures', resolve('captures')],
    ['file:./a b', resolve('a b')],
  ])('accepts the folder %s', (text, folder) => {
    expect(parsePlace(text)).toEqual({ kind: 'folder', folder });
  });

  it.each([
    ['s3://captures', '', 'captures'],
    ['s3://captures/', '', 'captures'],
    ['s3://My_old.Bucket/a/b-c', 'a/b-c', 'My_old.Bucket'],
    ['s3://captures/a/', 'a', 'captures'],
  ])('accepts the bucket %s', (text, prefix, bucket) => {
    expect(parsePlace(text)).toEqual({ kind: 'bucket', bucket, prefix });
  });

  it.each([
    '/srv/captures',
    'file:',
    'file://host/srv',
    's3://',
    's3:captures',
    's3://a',
    's3://-captures',
    's3://captures/../other',
    's3://captures//a',
    's3://key:secret@captures',
    's3://captures/a?b',
    'https://s3.example.com/captures',
  ])('refuses %s', (text) => {
    expect(parsePlace(text)).toBeUndefined();
  });
});

describe('STORAGE and DATA_DIR', () => {
  it.each(['/data', '/data/jobs'])('are refused if results could overwrite the jobs in %s', (DATA_DIR) => {
    expect(() => loadConfig({ DATA_DIR, STORAGE: 'file:/data' })).toThrow(
      'STORAGE: its folder may not hold DATA_DIR, where the jobs are.',
    );
  });

  it.each([
    { DATA_DIR: '/data', STORAGE: 'file:/data/storage' },
    { DATA_DIR: '/data-of-jobs', STORAGE: 'file:/data' },
    { DATA_DIR: '/data', STORAGE: 'file:/data', REDIS_URL: 'redis://127.0.0.1' },
  ])('can be combined if jobs are separate: %o', (environment) => {
    expect(loadConfig(environment).dataDir).toBe(environment.DATA_DIR);
  });
});
