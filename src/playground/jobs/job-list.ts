import { byId, make } from '../dom.ts';
import { labelOf } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import type { Failure } from '../service.ts';
import { createTabs } from '../tabs.ts';
import { isRefused, type TokenKeeper } from '../token.ts';
import { cancelJob, fetchPicture, type Job, listJobs } from './job-calls.ts';
import { createJobRow, type JobRow } from './job-row.ts';
import { changesInWords, isOpen } from './job-words.ts';
import { createRefresh, type Outlook } from './refresh.ts';
import { createThumbnails, MAX_PIXELS } from './thumbnails.ts';

const ALL = 'All';
const IN_A_PAGE = 50;
/** More than that nobody reads; a state has fewer. */
const MAX_PAGES = 10;

/** The list of jobs, which keeps itself up to date. Gives back the way to look at once. */
export function createJobList(
  states: readonly string[],
  tokens: Pick<TokenKeeper, 'current' | 'withToken'>,
): { readonly lookNow: () => Promise<void> } {
  const [list, none, more] = [
    byId('job-list', HTMLElement),
    byId('none', HTMLElement),
    byId('more', HTMLButtonElement),
  ];
  const [notices, announcement] = [byId('notices', HTMLElement), byId('announcement', HTMLElement)];
  const standing = byId('standing', HTMLElement);
  const rows = new Map<string, JobRow>();
  const thumbnails = createThumbnails((id) => fetchPicture(id, MAX_PIXELS, { token: tokens.current() }));
  let state = stateOfAddress(states);
  let pages = 1;

  const cancel = async (id: string, button: HTMLButtonElement): Promise<void> => {
    button.disabled = true;
    const answer = await tokens.withToken((token) => cancelJob(id, { token }));
    button.disabled = false;
    if (answer?.kind === 'failure') {
      complain(answer);
      button.focus();
    } else if (answer !== undefined) {
      announcement.textContent = `The job is ${answer.job.state}`;
      rows.get(id)?.element.focus();
      rows.get(id)?.update(answer.job, Date.now());
    }
    await refresh.now();
  };
  const complain = (failure: Failure): void => {
    const words = `${failure.message}${failure.details === undefined ? '' : `: ${failure.details}`}`;
    if (notices.textContent === '') announcement.textContent = words;
    notices.replaceChildren(failureNotice(failure));
  };
  const show = (jobs: readonly Job[], nowMs: number, hasMore: boolean): void => {
    const changes = changesInWords(
      [...rows.values()].map((row) => row.job()),
      jobs,
    );
    if (changes !== undefined) announcement.textContent = changes;
    const shown = new Set(jobs.map(({ id }) => id));
    for (const [id, { element }] of rows) {
      if (shown.has(id)) continue;
      element.remove();
      rows.delete(id);
    }
    for (const [index, job] of jobs.entries()) {
      const options = {
        thumbnails,
        onCancel: (id: string, button: HTMLButtonElement) => void cancel(id, button),
      };
      const row = rows.get(job.id) ?? createJobRow(job, options);
      rows.set(job.id, row);
      row.update(job, nowMs);
      // Only what is at another place: an element that is moved loses the focus.
      if (list.children[index] !== row.element) list.insertBefore(row.element, list.children[index] ?? null);
    }
    none.hidden = jobs.length > 0;
    none.textContent = state === undefined ? 'There are no jobs.' : `No job is ${state}.`;
    more.hidden = !hasMore || pages >= MAX_PAGES;
    standing.textContent = `Updated ${new Date().toLocaleTimeString('en')}`;
    document.documentElement.dataset['ready'] = 'true';
  };

  const look = async (): Promise<Outlook | undefined> => {
    const asked = { state, pages };
    const jobs = new Map<string, Job>();
    let cursor: string | undefined;
    let nowMs = Date.now();
    for (let page = 1; page <= asked.pages; page += 1) {
      const where = { state: asked.state, cursor };
      const answer = await tokens.withToken((token) => listJobs(where, { token }));
      if (answer === undefined || answer.kind === 'failure') {
        document.documentElement.dataset['ready'] = 'true';
        if (answer === undefined || isRefused(answer)) return toTokenless(answer);
        complain(answer);
        const { retryAfterSeconds } = answer;
        return { isBusy: false, requests: page, hasFailed: true, retryAfterSeconds };
      }
      for (const job of answer.jobs) if (!jobs.has(job.id)) jobs.set(job.id, job);
      ({ nowMs, next: cursor } = answer);
      if (cursor === undefined) break;
    }
    const found = [...jobs.values()];
    if (asked.state === state) {
      notices.replaceChildren();
      show(found, nowMs, cursor !== undefined);
    }
    const [isBusy, requests] = [found.some(isOpen), Math.ceil(found.length / IN_A_PAGE)];
    return { isBusy, requests, hasFailed: false, retryAfterSeconds: undefined };
  };
  /** Nobody is asked again and again: the button of the token is there. */
  const toTokenless = (failure: Failure | undefined): undefined => {
    if (failure !== undefined) complain(failure);
    else
      notices.replaceChildren(make('p', { class: 'notice' }, 'The jobs are shown to whoever has the token.'));
    return undefined;
  };
  const refresh = createRefresh(look);

  const names = new Map<string, string | undefined>([
    [ALL, undefined],
    ...states.map((each) => [labelOf(each), each] as const),
  ]);
  const filter = createTabs({
    label: 'State of the jobs',
    names: [...names.keys()],
    panel: 'jobs',
    selected: [...names.keys()].find((name) => names.get(name) === state),
    onSelect: (name) => {
      state = names.get(name);
      pages = 1;
      history.replaceState(null, '', state === undefined ? location.pathname : `#${state}`);
      void refresh.now();
    },
  });
  byId('filter', HTMLElement).append(filter.element);
  more.addEventListener('click', () => {
    pages += 1;
    void refresh.now();
  });
  return { lookNow: refresh.now };
}

/** The state that the address names; undefined: all. */
function stateOfAddress(states: readonly string[]): string | undefined {
  return states.find((state) => location.hash === `#${state}`);
}
