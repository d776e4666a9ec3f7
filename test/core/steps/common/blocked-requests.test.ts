import { describe, expect, it } from 'vitest';
import { createBlockedRequests, type BlockedRequest } from '../../../../src/core/steps/common/blocked-requests.ts';

const request = (requestId: string, resourceType = 'Image'): BlockedRequest => ({
  requestId,
  url: `http://ads.example.net/${requestId}`,
  resourceType,
  frameId: 'frame',
  keepsPlace: false,
});

describe('the record of blocked requests', () => {
  it('counts a request once, even if several steps block it', () => {
    const blocked = createBlockedRequests();

    for (const id of ['1', '2', '1']) blocked.add(request(id));
    blocked.addOne();

    expect(blocked.count()).toBe(3);
  });

  it('counts connections only for hosts whose requests are not reported', () => {
    const blocked = createBlockedRequests();

    for (const host of ['reported', 'reported', 'reported', 'unreported', 'unreported']) blocked.addConnection(host);
    blocked.addReported('reported', request('1'));

    expect(blocked.wasRefused('reported')).toBe(true);
    expect(blocked.wasRefused('other')).toBe(false);
    expect(blocked.count()).toBe(3);
  });

  it('returns hidden elements, and only when there are new ones', () => {
    const blocked = createBlockedRequests();
    const taken = (): string[] => blocked.takeVisible().map(({ requestId }) => requestId);

    blocked.add(request('script', 'Script'));
    expect(taken()).toEqual([]);
    blocked.add(request('1'));
    blocked.add(request('2', 'Document'));
    expect(taken()).toEqual(['1', '2']);
    expect(taken()).toEqual([]);
    blocked.add(request('3'));
    expect(taken()).toEqual(['1', '2', '3']); // a new document may have replaced the one with the hidden elements
  });

  it('limits its memory, and continues to count', () => {
    const blocked = createBlockedRequests();

    for (let index = 0; index < 30_000; index++) blocked.add(request(`${index}`));

    expect(blocked.count()).toBe(30_000);
    expect(blocked.takeVisible()).toHaveLength(10_000);
  });
});
