/** Generates numbers from 0 to 1, equal for equal seeds (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Arrival times of requests of many independent clients, in milliseconds: a Poisson process. */
export function drawArrivals({ count, perSecond, random }) {
  let atMs = 0;
  return Array.from({ length: count }, () => (atMs -= (Math.log(1 - random()) * 1000) / perSecond));
}

/**
 * Returns the duration of each request, including its wait in a first-in first-out queue. Each request occupies one
 * slot. `speedOf(busy)` is the speed of one slot while `busy` slots work; 1 is the speed of a single one.
 */
export function simulate({ arrivals, work, slots, speedOf }) {
  const times = Array.from({ length: arrivals.length }, () => 0);
  let busy = [];
  let [nowMs, arrived, started] = [0, 0, 0];
  while (arrived < arrivals.length || busy.length > 0) {
    const speed = speedOf(busy.length);
    const endsInMs = Math.min(...busy.map(({ left }) => left / speed));
    const arrivesInMs = arrived < arrivals.length ? arrivals[arrived] - nowMs : Infinity;
    const passedMs = Math.min(endsInMs, arrivesInMs);
    nowMs += passedMs;
    for (const request of busy) request.left -= passedMs * speed;
    if (arrivesInMs <= endsInMs) arrived++;
    else busy = busy.filter((request) => !ends(request));
    while (busy.length < slots && started < arrived) busy.push({ index: started, left: work[started++] });
  }
  return times;

  function ends({ index, left }) {
    if (left > 1e-6) return false;
    times[index] = nowMs - arrivals[index];
    return true;
  }
}
