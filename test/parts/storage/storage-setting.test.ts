import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../support/settings.ts';
import { parsePlace } from '../../../src/parts/storage/storage-setting.ts';

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
      'STORAGE: its folder must not contain DATA_DIR, which has the jobs.',
    );
  });

  it.each([
    { DATA_DIR: '/data', STORAGE: 'file:/data/storage' },
    { DATA_DIR: '/data-of-jobs', STORAGE: 'file:/data' },
    { DATA_DIR: '/data', STORAGE: 'file:/data', REDIS_URL: 'redis://127.0.0.1' },
  ])('can be combined if jobs are separate: %o', (environment) => {
    expect(loadConfig(environment).dataDir).toBe(environment.DATA_DIR);
  });

  describe('behind symbolic links', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'setting-test-'));
      mkdirSync(join(folder, 'real/jobs'), { recursive: true });
      symlinkSync(join(folder, 'real'), join(folder, 'link'));
      symlinkSync(join(folder, 'real/jobs'), join(folder, 'jobs'));
      return () => rmSync(folder, { recursive: true });
    });
    const load = (storage: string, data: string) => () =>
      loadConfig({ DATA_DIR: join(folder, data), STORAGE: `file:${join(folder, storage)}` });

    it.each([
      ['link', 'real'],
      ['real', 'link'],
      ['real', 'jobs'],
      ['jobs', 'real/jobs'],
      ['link/missing', 'real/missing'],
      ['link', 'jobs/missing'],
    ])('are refused if %s contains %s', (storage, data) => {
      expect(load(storage, data)).toThrow('STORAGE: its folder must not contain DATA_DIR');
    });

    it.each([
      ['jobs', 'link'],
      ['link/other', 'jobs'],
      ['other', 'link'],
    ])('are accepted if %s does not contain %s', (storage, data) => {
      expect(load(storage, data)).not.toThrow();
    });

    it.skipIf(process.getuid?.() !== 0)('are refused if a bind mount of one folder contains the other', () => {
      mkdirSync(join(folder, 'mounted'));
      execFileSync('mount', ['--bind', join(folder, 'real'), join(folder, 'mounted')]);
      try {
        expect(load('mounted', 'real/jobs')).toThrow('STORAGE: its folder must not contain DATA_DIR');
      } finally {
        execFileSync('umount', [join(folder, 'mounted')]);
      }
    });
  });
});
