import { describe, expect, it } from 'vitest';
import { createKeptAway, type KeptRequest } from '../../../src/steps/common/kept-away.ts';

const request = (requestId: string, resourceType = 'Image'): KeptRequest => ({
  requestId,
  url: `http://ads.example.net/${requestId}`,
  resourceType,
  frameId: 'frame',
  keepsPlace: false,
});

describe('the record of blocked requests', () => {
  it('counts a request once, even if several steps block it', () => {
    const keptAway = createKeptAway();

    for (const id of ['1', '2', '1']) keptAway.add(request(id));
    keptAway.addOne();

    expect(keptAway.count()).toBe(3);
  });

  it('counts connections only for hosts whose requests are not reported', () => {
    const keptAway = createKeptAway();

    for (const host of ['told', 'told', 'told', 'untold', 'untold']) keptAway.addConnection(host);
    keptAway.addTold('told', request('1'));

    expect(keptAway.wasRefused('told')).toBe(true);
    expect(keptAway.wasRefused('other')).toBe(false);
    expect(keptAway.count()).toBe(3);
  });

  it('returns hidden elements, and only when there are new ones', () => {
    const keptAway = createKeptAway();
    const taken = (): string[] => keptAway.takeVisible().map(({ requestId }) => requestId);

    keptAway.add(request('script', 'Script'));
    expect(taken()).toEqual([]);
    keptAway.add(request('1'));
    keptAway.add(request('2', 'Document'));
    expect(taken()).toEqual(['1', '2']);
    expect(taken()).toEqual([]);
    keptAway.add(request('3'));
    expect(taken()).toEqual(['1', '2', '3']); // a new document may have replaced the one with the hidden elements
  });

  it('limits its memory, and continues to count', () => {
    const keptAway = createKeptAway();

    for (let index = 0; index < 30_000; index++) keptAway.add(request(`${index}`));

    expect(keptAway.count()).toBe(30_000);
    expect(keptAway.takeVisible()).toHaveLength(10_000);
  });
});
