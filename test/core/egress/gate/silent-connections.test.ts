import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSilentConnections } from '../../../../src/core/egress/gate/silent-connections.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOSTS = new Map([['a.example 80', Array<number>(9).fill(0)]]);

/** Opens a connection. The host answers its first request after `answersAfterMs`; undefined: never. */
function open(connections: ReturnType<typeof createSilentConnections>, answersAfterMs?: number) {
  const [client, upstream] = [new Socket(), new Socket()];
  connections.add('a.example 80', client)(upstream);
  const send = (): void => void client.emit('data', Buffer.from('request'));
  send();
  if (answersAfterMs !== undefined) {
    vi.advanceTimersByTime(answersAfterMs);
    upstream.emit('data', Buffer.from('answer'));
  }
  return { send, isOpen: () => !client.destroyed };
}

// On a busy machine, a picture behind fifty silent ones was ended before its server could answer.
it('gives a host twice the longest time of its answers, at most a second', () => {
  const connections = createSilentConnections();
  const slow = open(connections, 300);
  slow.send();

  vi.advanceTimersByTime(500);
  connections.end(HOSTS, 100);
  expect(slow.isOpen()).toBe(true);
  vi.advanceTimersByTime(200);
  connections.end(HOSTS, 100);
  expect(slow.isOpen()).toBe(false);

  open(connections, 5_000);
  const later = open(connections);
  vi.advanceTimersByTime(1_000);
  connections.end(HOSTS, 100);
  expect(later.isOpen()).toBe(false);
});

it('counts silence from the last request of a connection', () => {
  const connections = createSilentConnections();
  const reused = open(connections, 10);
  vi.advanceTimersByTime(60_000);
  reused.send();

  connections.end(HOSTS, 100);

  expect(reused.isOpen()).toBe(true);
  expect(connections.isDead('a.example 80')).toBe(false);
});

it('spares answers that pause, if it is told to', () => {
  const connections = createSilentConnections();
  const document = open(connections, 10);
  const unanswered = open(connections);
  vi.advanceTimersByTime(60_000);

  connections.end(HOSTS, 100, { sparesAnswers: true });
  expect([document.isOpen(), unanswered.isOpen()]).toEqual([true, false]);

  connections.end(HOSTS, 100);
  expect(document.isOpen()).toBe(false);
});

it('knows hosts that have never sent anything', () => {
  const connections = createSilentConnections();
  const silent = open(connections);
  vi.advanceTimersByTime(100);

  connections.end(HOSTS, 100);

  expect([silent.isOpen(), connections.isDead('a.example 80'), connections.isDead('b.example 80')]).toEqual([
    false,
    true,
    false,
  ]);
});

// A long poll was ended because another file of its host was silent.
it('ends the connection of the silent request, not that of others of its host', () => {
  const connections = createSilentConnections();
  const poll = open(connections);
  vi.advanceTimersByTime(300);
  const beganAt = performance.now();
  const silent = open(connections);
  vi.advanceTimersByTime(300);
  const laterPoll = open(connections);
  vi.advanceTimersByTime(20_000);

  connections.end(new Map([['a.example 80', [beganAt + 2]]]), 10_000);

  expect([poll.isOpen(), silent.isOpen(), laterPoll.isOpen()]).toEqual([true, false, true]);
});
