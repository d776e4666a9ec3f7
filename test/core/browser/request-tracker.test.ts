import { EventEmitter } from 'node:events';
import type { CDPSession } from 'puppeteer';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRequestTracker } from '../../../src/core/browser/page/requests/request-tracker.ts';
import { fake } from '../../support/fake.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sessionOf = (id: string) => Object.assign(new EventEmitter(), { id: () => id });

// The timer of the first address stayed. It gave up a request that had ended, so one in flight was overlooked.
it('counts a later request after one whose redirect led from one polled address to another', () => {
  const session = sessionOf('1');
  const tracker = createRequestTracker();
  tracker.follow(fake<CDPSession>(session));
  const start = (requestId: string, url: string): void => {
    session.emit('Network.requestWillBeSent', {
      requestId: `1.${requestId}`,
      loaderId: 'l',
      type: 'Fetch',
      request: { url },
    });
  };
  const end = (requestId: string): void =>
    void session.emit('Network.loadingFinished', { requestId: `1.${requestId}` });
  for (const url of ['https://a.example/', 'https://b.example/']) {
    for (let poll = 0; poll < 3; poll++) {
      start(`${url}${poll}`, url);
      end(`${url}${poll}`);
    }
  }

  start('redirected', 'https://a.example/');
  start('redirected', 'https://b.example/');
  end('redirected');
  vi.advanceTimersByTime(2_000);
  start('other', 'https://c.example/');

  expect(tracker.arePending()).toBe(true);
});

it('does not wait for requests of a session that has ended', () => {
  const [page, worker] = [sessionOf('1'), sessionOf('2')];
  const tracker = createRequestTracker();
  for (const session of [page, worker]) {
    tracker.follow(fake<CDPSession>(session));
    const requestId = session === page ? '1.1' : '2.1';
    session.emit('Network.requestWillBeSent', {
      requestId,
      type: 'Fetch',
      request: { url: 'https://a.example/' },
    });
  }

  page.emit('Target.detachedFromTarget', { sessionId: '2' });

  expect([tracker.has('1.1'), tracker.has('2.1')]).toEqual([true, false]);
});
