import { describe, expect, it } from 'vitest';
import { createFlights } from '../../src/cache/in-flight.ts';

const never = new AbortController().signal;

describe('createFlights', () => {
  it('does the same work once for all who ask for it meanwhile', async () => {
    const { flights, works, start } = trackedFlights();
    const joined = [1, 2, 3].map(() => flights.join('a', never, start));

    works[0]?.resolve('done');

    expect(await Promise.all(joined)).toEqual(['done', 'done', 'done']);
    expect(works).toHaveLength(1);
  });

  it('does other work, and the same work later, on its own', async () => {
    const { flights, works, start } = trackedFlights();
    const first = [flights.join('a', never, start), flights.join('b', never, start)];
    for (const work of works) work.resolve('first');
    await Promise.all(first);

    const later = flights.join('a', never, start);
    works[2]?.resolve('later');

    expect(await later).toBe('later');
    expect(works).toHaveLength(3);
  });

  it('tells a failure to all, and keeps none of it', async () => {
    const { flights, works, start } = trackedFlights();
    const joined = [flights.join('a', never, start), flights.join('a', never, start)];

    works[0]?.reject(new Error('no luck'));

    for (const each of joined) await expect(each).rejects.toThrow('no luck');
    const again = flights.join('a', never, start);
    works[1]?.resolve('luck');
    expect(await again).toBe('luck');
  });

  it('goes on when one leaves, also the one who began it', async () => {
    const { flights, works, start } = trackedFlights();
    const first = new AbortController();
    const leaving = flights.join('a', first.signal, start);
    const staying = flights.join('a', never, start);

    first.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    expect(works[0]?.signal.aborted).toBe(false);
    works[0]?.resolve('done');

    expect(await staying).toBe('done');
  });

  it('is given up when the last one leaves, and who comes then starts anew', async () => {
    const { flights, works, start } = trackedFlights();
    const clients = [new AbortController(), new AbortController()];
    const joined = clients.map(({ signal }) => flights.join('a', signal, start));

    for (const client of clients) client.abort(new Error('gone'));
    for (const each of joined) await expect(each).rejects.toThrow('gone');

    expect(works[0]?.signal.aborted).toBe(true);
    const anew = flights.join('a', never, start);
    works[0]?.reject(new Error('given up')); // late: it must not end what has started since
    works[1]?.resolve('done');
    expect(await anew).toBe('done');
    expect(works).toHaveLength(2);
  });

  it('starts nothing for who has left already', async () => {
    const { flights, works, start } = trackedFlights();

    await expect(flights.join('a', AbortSignal.abort(new Error('gone')), start)).rejects.toThrow('gone');

    expect(works).toHaveLength(0);
  });

  it('does not give up work that has come to its end', async () => {
    const { flights, works, start } = trackedFlights();
    const joined = flights.join('a', never, start);

    works[0]?.resolve('done');
    await joined;

    expect(works[0]?.signal.aborted).toBe(false);
  });
});

/** Flights whose work the test ends. */
function trackedFlights() {
  const works: (PromiseWithResolvers<string> & { readonly signal: AbortSignal })[] = [];
  const start = (signal: AbortSignal): Promise<string> => {
    const work = { ...Promise.withResolvers<string>(), signal };
    works.push(work);
    return work.promise;
  };
  return { flights: createFlights<string>(), works, start };
}
