import { byId, make, prose } from './dom.ts';
import { showHead } from './head.ts';
import { createJobQueue } from './jobs/job-queue.ts';
import { parseReference } from './reference.ts';
import { serviceUrl } from './send.ts';
import { createTokenKeeper } from './token.ts';

/** Builds the page of jobs from the OpenAPI document. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const reference = parseReference(await answer.json());
  const { jobStates, needsToken } = reference;
  showHead('Jobs', reference);
  if (jobStates === undefined) {
    byId('queue', HTMLElement).replaceChildren(explanation());
    document.documentElement.dataset['ready'] = 'true';
    return;
  }
  const tokens = createTokenKeeper(needsToken, () => void queue.refreshNow());
  const queue = createJobQueue(jobStates, tokens);
  await queue.refreshNow();
}

/** Explains the missing settings to visitors with an old bookmark. */
function explanation(): HTMLElement {
  const sentence =
    'Jobs need a store: the setting `DATA_DIR` for one machine, or `REDIS_URL` and `STORAGE` for several.';
  return make(
    'div',
    { class: 'empty', id: 'jobs', tabindex: -1 }, // where the skip link leads
    make('h1', { class: 'empty-title' }, 'This service runs no jobs'),
    make('p', { class: 'hint' }, ...prose(sentence)),
  );
}

await main();
