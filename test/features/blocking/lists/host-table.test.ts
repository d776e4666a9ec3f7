import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadHostTable } from '../../../../src/features/blocking/lists/host-table.ts';

const table = await loadHostTable();

describe('the host table', () => {
  it.each([
    ['doubleclick.net', 'ads'],
    ['a.b.doubleclick.net', 'ads'],
    ['www.google-analytics.com', 'trackers'],
    ['region1.analytics.google.com', 'trackers'],
    ['www.googletagmanager.com', 'trackers'],
    ['widget.intercom.io', 'chats'],
    ['connect.facebook.net', 'socials'],
    ['static.polldaddy.com', 'ads'], // a subdomain of a tracker
    ['www.quinstreet.com', 'ads'], // with a capital letter in the data
    ['bat.bing.com', 'ads'],
  ])('finds %s among the %s', (host, kind) => {
    expect(table.find(host)?.kind).toBe(kind);
  });

  it.each([
    'notdoubleclick.net',
    'doubleclick.net.evil.example',
    'net',
    'google.com',
    'www.googleapis.com',
    'fonts.gstatic.com',
    'www.youtube.com',
    'cdnjs.cloudflare.com',
    'www.bing.com',
    'www.apple.com',
    'de.com',
    'anyone.de.com', // a public suffix that the data lists as a name
    '127.0.0.1',
    '::1',
    '',
    '.',
    'localhost',
  ])('does not find %j', (host) => {
    expect(table.find(host)).toBeUndefined();
  });

  it('looks up no host that is longer than a name of DNS', () => {
    expect(table.find(`${'a.'.repeat(100)}doubleclick.net`)?.kind).toBe('ads');
    expect(table.find(`${'a.'.repeat(8_000)}doubleclick.net`)).toBeUndefined(); // it took 125 ms
  });

  it('has one owner for all hosts of a site', () => {
    expect(table.find('www.facebook.com')?.owner).toBe(table.find('static.xx.fbcdn.net')?.owner);
    expect(table.find('doubleclick.net')?.owner).not.toBe(table.find('google-analytics.com')?.owner);
  });

  it('is parsed once and holds all data, without names that belong to no category', async () => {
    expect(await loadHostTable()).toBe(table);
    expect(table.size).toBeGreaterThan(1_500);
    expect(['de.com', 'net.pl', 'net.net'].map((name) => table.find(name))).toEqual([undefined, undefined, undefined]);
  });

  it('accepts any text as a host: ten thousand of them', () => {
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string(), fc.string({ unit: 'binary' }));

    fc.assert(
      fc.property(host, (text) => {
        const known = table.find(text);
        expect(known === undefined || typeof known.kind === 'string').toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });
});
