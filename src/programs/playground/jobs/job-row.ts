import { make } from '../dom.ts';
import { labelOf } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import { formatInWords } from '../format-units.ts';
import type { CaptureJob } from '../../client/job-data.ts';
import { courseInWords, isOpen, isPicture, problemOf, resultInWords } from './job-words.ts';
import type { Thumbnails } from './thumbnails.ts';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export interface JobRow {
  readonly element: HTMLElement;
  /** Updates the row. Leaves unchanged parts alone, because a user may read them or have the focus there. */
  readonly update: (job: CaptureJob, nowMs: number) => void;
  readonly job: () => CaptureJob;
}

export interface RowOptions {
  readonly thumbnails: Thumbnails;
  readonly onCancel: (id: string, button: HTMLButtonElement) => void;
}

/** The row of a job: state, result, and buttons. */
export function createJobRow(first: CaptureJob, { thumbnails, onCancel }: RowOptions): JobRow {
  let job = first;
  const nameId = `job-${job.id}`;
  const sheet = make('div', { class: 'sheet-small' });
  const state = make('strong', { class: 'state', id: nameId });
  const format = make('span', {});
  const label = make('p', { class: 'job-label' }, job.label ?? 'Markup');
  const course = make('span', {});
  const time = make('time', { datetime: job.createdAt }, TIME.format(new Date(job.createdAt)));
  const problem = make('div', {});
  const open = make('a', { class: 'button', target: '_blank', rel: 'noreferrer' }, 'Open');
  const cancel = make('button', { type: 'button', 'aria-describedby': nameId }, 'Cancel');
  cancel.addEventListener('click', () => onCancel(job.id, cancel));
  const element = make(
    'li',
    { class: 'card job', tabindex: -1, 'data-id': job.id },
    sheet,
    make(
      'div',
      { class: 'job-words' },
      label,
      make('p', { class: 'job-title' }, state, format),
      make('p', { class: 'hint' }, 'Submitted ', time, '; ', course),
      make('p', { class: 'hint job-id' }, job.id),
      problem,
    ),
    make('div', { class: 'job-actions' }, open, cancel),
  );

  const show = (before: CaptureJob | undefined, nowMs: number): void => {
    const { result } = job;
    course.textContent = courseInWords(job, nowMs);
    // The link of a result changes with each answer, and expires.
    const link = result !== undefined && /^https?:/.test(result.url) ? result.url : undefined;
    open.hidden = link === undefined;
    for (const each of [open, ...sheet.querySelectorAll('a')]) each.setAttribute('href', link ?? '');
    if (before?.state === job.state && JSON.stringify(before.error) === JSON.stringify(job.error)) return;

    element.dataset['state'] = job.state;
    state.textContent = labelOf(job.state);
    format.textContent = resultInWords(job) ?? '';
    open.setAttribute('aria-label', `Open the ${formatInWords(result?.contentType ?? '')}`);
    sheet.replaceChildren(sheetOf(job, link, thumbnails));
    const failure = problemOf(job);
    problem.replaceChildren(...(failure === undefined ? [] : [failureNotice(failure)]));
    if (!isOpen(job) && document.activeElement === cancel) element.focus();
    cancel.hidden = !isOpen(job);
  };
  return {
    element,
    update: (now, nowMs) => {
      const before = element.dataset['state'] === undefined ? undefined : job;
      job = now;
      show(before, nowMs);
    },
    job: () => job,
  };
}

/** Decorative: the text beside it has the same information. */
function sheetOf(job: CaptureJob, link: string | undefined, thumbnails: Thumbnails): HTMLElement {
  const content = isPicture(job) ? thumbnails.of(job.id) : make('span', {}, signOf(job));
  if (link === undefined) return make('div', { 'aria-hidden': 'true' }, content);
  const way = { href: link, target: '_blank', rel: 'noreferrer' };
  return make('a', { ...way, tabindex: -1, 'aria-hidden': 'true' }, content);
}

function signOf({ state, result }: CaptureJob): string {
  if (result !== undefined) return formatInWords(result.contentType);
  return isOpen({ state }) ? '…' : '–';
}
