import { byId, make } from '../dom.ts';
import { labelOf } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import type { Failure } from '../service-calls.ts';
import { createTabs } from '../tabs.ts';
import { isRefused, type TokenKeeper } from '../token.ts';
import { cancelJob, fetchPicture } from './job-calls.ts';
import { createJobList } from './job-list.ts';
import { isOpen } from './job-words.ts';
import { MAX_PAGES, readPages } from './read-pages.ts';
import { createRefresh, type PollResult } from './refresh.ts';
import { createThumbnails, MAX_PIXELS } from './thumbnails.ts';

const ALL = 'All';

/** Shows the jobs of one state or of all, and refreshes them. Returns a function that refreshes at once. */
export function createJobQueue(
  states: readonly string[],
  { current, withToken }: Pick<TokenKeeper, 'current' | 'withToken'>,
): { readonly refreshNow: () => Promise<void> } {
  const [none, more] = [byId('none', HTMLElement), byId('more', HTMLButtonElement)];
  const [notices, announcement] = [byId('notices', HTMLElement), byId('announcement', HTMLElement)];
  const standing = byId('standing', HTMLElement);
  const onCancel = (id: string, button: HTMLButtonElement): void => void cancel(id, button);
  const thumbnails = createThumbnails((id) => fetchPicture(id, MAX_PIXELS, { token: current() }));
  const list = createJobList({ thumbnails, onCancel });
  let state = states.find((each) => location.hash === `#${each}`);
  let pages = 1;

  const complain = (failure: Failure): void => {
    const words = [failure.message, failure.details].filter((part) => part !== undefined).join(': ');
    if (notices.textContent === '') announcement.textContent = words; // announced once, not at each refresh
    notices.replaceChildren(failureNotice(failure));
  };

  const poll = async (): Promise<PollResult | undefined> => {
    const shown = { state, pages };
    const answer = await withToken((token) => readPages(shown, token));
    document.documentElement.dataset['ready'] = 'true';
    if (answer === undefined) {
      notices.replaceChildren(make('p', { class: 'notice' }, 'Enter the token to see the jobs.'));
      return undefined; // prompts only once; the button remains
    }
    if (answer.kind === 'failure') {
      complain(answer);
      if (isRefused(answer)) return undefined;
      const { retryAfterSeconds } = answer;
      return { isBusy: false, requests: 1, hasFailed: true, retryAfterSeconds };
    }
    const { jobs, nowMs, requests, hasMore } = answer;
    const outlook = { isBusy: jobs.some(isOpen), requests, hasFailed: false, retryAfterSeconds: undefined };
    if (shown.state !== state) return outlook; // the state was changed meanwhile, and is read by the next refresh
    notices.replaceChildren();
    const changes = list.show(jobs, nowMs);
    if (changes !== undefined) announcement.textContent = changes;
    none.hidden = jobs.length > 0;
    none.textContent = state === undefined ? 'There are no jobs.' : `No job is ${state}.`;
    more.hidden = !hasMore || pages >= MAX_PAGES;
    const part = hasMore && more.hidden ? `, the first ${jobs.length}` : '';
    standing.textContent = `Updated ${new Date(nowMs).toLocaleTimeString('en')}${part}`;
    return outlook;
  };
  const { now: refreshNow } = createRefresh(poll);

  const cancel = async (id: string, button: HTMLButtonElement): Promise<void> => {
    button.disabled = true;
    const answer = await withToken((token) => cancelJob(id, { token }));
    button.disabled = false;
    if (answer?.kind === 'job') {
      list.point(answer.job);
      const words = `The job is ${answer.job.state}`;
      announcement.textContent = words;
      await refreshNow();
      // a list that was read before may have shown the old state, and announced the change
      announcement.textContent = words;
      return;
    }
    button.focus(); // the button lost the focus while it was disabled
    if (answer !== undefined) complain(answer);
  };

  const names = [ALL, ...states.map(labelOf)];
  const filter = createTabs({
    label: 'State of the jobs',
    names,
    panel: 'jobs',
    selected: state === undefined ? ALL : labelOf(state),
    onSelect: (name) => {
      state = states[names.indexOf(name) - 1];
      pages = 1;
      history.replaceState(null, '', state === undefined ? location.pathname : `#${state}`);
      void refreshNow();
    },
  });
  byId('filter', HTMLElement).append(filter.element);
  more.addEventListener('click', () => {
    pages += 1;
    void refreshNow();
  });
  return { refreshNow };
}
