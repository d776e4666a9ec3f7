import { byId, make } from '../dom.ts';
import { labelOf } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import { CaptureError } from '../../client/capture-error.ts';
import { readJob } from '../../client/job-data.ts';
import { type Caller, send } from '../send.ts';
import { createTabs } from '../tabs.ts';
import { isRefused, type TokenKeeper } from '../token.ts';
import { createArrival, createJobList } from './job-list.ts';
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
  const thumbnails = createThumbnails((id) => fetchPicture(id, { token: current() }));
  const list = createJobList({ thumbnails, onCancel });
  const arrive = createArrival(list, location.hash.slice(1));
  let state = states.find((each) => location.hash === `#${each}`);
  let pages = 1;

  const complain = (failure: CaptureError): void => {
    const words = [failure.message, failure.details].filter((part) => part !== undefined).join(': ');
    if (notices.textContent === '') announcement.textContent = words; // announced once, not at each refresh
    notices.replaceChildren(failureNotice(failure));
  };

  const poll = async (): Promise<PollResult | undefined> => {
    const shown = { state, pages };
    const answer = await withToken((token) => readPages(shown, { token }));
    document.documentElement.dataset['ready'] = 'true';
    if (answer === undefined) {
      notices.replaceChildren(make('p', { class: 'notice' }, 'Enter the token to see the jobs.'));
      return undefined; // prompts only once; the button remains
    }
    if (answer instanceof CaptureError) {
      complain(answer);
      if (isRefused(answer)) return undefined;
      return { isBusy: false, requests: 1, hasFailed: true, retryAfterSeconds: answer.retryAfter };
    }
    const { jobs, nowMs, requests, hasMore } = answer;
    const outlook = { isBusy: jobs.some(isOpen), requests, hasFailed: false, retryAfterSeconds: undefined };
    if (shown.state !== state) return outlook; // the state was changed meanwhile, and is read by the next refresh
    notices.replaceChildren();
    const changes = list.show(jobs, nowMs);
    arrive(jobs);
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
    const answer = await withToken((token) =>
      send(`jobs/${encodeURIComponent(id)}`, { token, method: 'DELETE' }, readJob),
    );
    button.disabled = false;
    if (answer !== undefined && !(answer instanceof CaptureError)) {
      list.point(answer);
      const words = `The job is ${answer.state}`;
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

/**
 * Returns the picture of a job. Undefined if it has expired or is too large. Uses the token and this origin, because a
 * link may lead to a bucket, which the content security policy blocks.
 */
async function fetchPicture(id: string, caller: Caller): Promise<Blob | undefined> {
  const picture = await send(`jobs/${encodeURIComponent(id)}/result`, caller, async (answer) => {
    const [width, height] = ['X-Image-Width', 'X-Image-Height'].map((name) => answer.headers.get(name));
    if (Number(width) * Number(height) <= MAX_PIXELS) return await answer.blob();
    await answer.body?.cancel();
    return undefined;
  });
  return picture instanceof CaptureError ? undefined : picture;
}
