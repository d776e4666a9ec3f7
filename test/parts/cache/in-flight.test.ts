import { describe, expect, it } from 'vitest';
import { createInFlight } from '../../../src/parts/cache/with-cache.ts';

const never = new AbortController().signal;

describe('createInFlight', () => {
  it('shares one run among concurrent callers', async () => {
    const { inFlight, works, start } = trackedFlights();
    const joined = [1, 2, 3].map(() => inFlight.join('a', never, start));

    works[0]?.resolve('done');

    expect(await Promise.all(joined)).toEqual(['done', 'done', 'done']);
    expect(works).toHaveLength(1);
  });

  it('runs other work, and the same work later, separately', async () => {
    const { inFlight, works, start } = trackedFlights();
    const first = [inFlight.join('a', never, start), inFlight.join('b', never, start)];
    for (const work of works) work.resolve('first');
    await Promise.all(first);

    const later = inFlight.join('a', never, start);
    works[2]?.resolve('later');

    expect(await later).toBe('later');
    expect(works).toHaveLength(3);
  });

  it('passes a failure to every caller, and stores none', async () => {
    const { inFlight, works, start } = trackedFlights();
    const joined = [inFlight.join('a', never, start), inFlight.join('a', never, start)];

    works[0]?.reject(new Error('no luck'));

    await Promise.all(joined.map((each) => expect(each).rejects.toThrow('no luck')));
    const again = inFlight.join('a', never, start);
    works[1]?.resolve('luck');
    expect(await again).toBe('luck');
  });

  it('continues when one caller leaves, also the first', async () => {
    const { inFlight, works, start } = trackedFlights();
    const first = new AbortController();
    const leaving = inFlight.join('a', first.signal, start);
    const staying = inFlight.join('a', never, start);

    first.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    expect(works[0]?.signal.aborted).toBe(false);
    works[0]?.resolve('done');

    expect(await staying).toBe('done');
  });

  it('is cancelled when the last caller leaves, and runs again for a later caller', async () => {
    const { inFlight, works, start } = trackedFlights();
    const clients = [new AbortController(), new AbortController()];
    const joined = clients.map(({ signal }) => inFlight.join('a', signal, start));

    for (const client of clients) client.abort(new Error('gone'));
    await Promise.all(joined.map((each) => expect(each).rejects.toThrow('gone')));

    expect(works[0]?.signal.aborted).toBe(true);
    const anew = inFlight.join('a', never, start);
    works[0]?.reject(new Error('given up')); // too late to end the work that has started since
    works[1]?.resolve('done');
    expect(await anew).toBe('done');
    expect(works).toHaveLength(2);
  });

  it('starts nothing for a caller that has already left', async () => {
    const { inFlight, works, start } = trackedFlights();

    await expect(inFlight.join('a', AbortSignal.abort(new Error('gone')), start)).rejects.toThrow('gone');

    expect(works).toHaveLength(0);
  });

  it('does not cancel work that has ended', async () => {
    const { inFlight, works, start } = trackedFlights();
    const joined = inFlight.join('a', never, start);

    works[0]?.resolve('done');
    await joined;

    expect(works[0]?.signal.aborted).toBe(false);
  });
});

/** Returns an InFlight whose work the test ends. */
function trackedFlights() {
  const works: (PromiseWithResolvers<string> & { readonly signal: AbortSignal })[] = [];
  const start = (signal: AbortSignal): Promise<string> => {
    const work = { ...Promise.withResolvers<string>(), signal };
    works.push(work);
    return work.promise;
  };
  return { inFlight: createInFlight<string>(), works, start };
}
