import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startBalancer } from '../../support/balancer.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const CLIENTS = 3;
const LEAST_LOAD = 50;
const DELAY_MS = 1_000; // the balancer polls twenty times during the delay

describe('a rolling restart of two instances behind a load balancer', () => {
  it('loses no answer', async () => {
    await using balancer = await startBalancer();
    const start = async (): Promise<RunningService> => {
      const service = await startService({ SHUTDOWN_DELAY_MS: String(DELAY_MS), POOL_SIZE: '2' });
      balancer.add(service.url);
      return service;
    };
    const untilReady = (count: number): Promise<void> => eventually(() => expect(balancer.readyCount()).toBe(count));
    await using first = await start();
    await using second = await start();
    await untilReady(2);
    const load = startLoad(balancer.url);

    const codes: (number | null)[] = [];
    await using replacements = new AsyncDisposableStack();
    for (const old of [first, second]) {
      const stopped = old.stop('SIGTERM');
      replacements.use(await start());
      codes.push(await stopped);
      await untilReady(2);
    }
    const answers = await load.stop();

    expect(codes).toEqual([0, 0]);
    expect(answers.filter((answer) => answer !== '200 png')).toEqual([]);
  });
});

/** Clients that send requests without pause until they are stopped. */
function startLoad(base: string): { readonly stop: () => Promise<string[]> } {
  const answers: string[] = [];
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted || answers.length < LEAST_LOAD) {
      const body = { html_content: '<p>quick</p>', window_width: 100, window_height: 100 };
      const answer = await capture(base, body).catch(String);
      answers.push(typeof answer === 'string' ? answer : `${answer.status} ${kindOf(answer.body)}`);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    stop: async () => {
      over.abort();
      await Promise.all(clients);
      return answers;
    },
  };
}

function kindOf(body: Buffer): string {
  return body.subarray(1, 4).toString() === 'PNG' ? 'png' : body.toString().slice(0, 200);
}
