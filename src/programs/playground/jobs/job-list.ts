import { byId } from '../dom.ts';
import type { CaptureJob } from '../../client/job-data.ts';
import { createJobRow, type JobRow, type RowOptions } from './job-row.ts';
import { changesInWords } from './job-words.ts';

interface JobList {
  /** Shows these jobs in this order. Returns a description of the changes, or undefined. */
  readonly show: (jobs: readonly CaptureJob[], nowMs: number) => string | undefined;
  /** Updates a visible job and moves the focus to it. */
  readonly point: (job: CaptureJob) => void;
}

/** The list of jobs. Each job keeps its row while it is visible, with its picture and the focus. */
export function createJobList(options: RowOptions): JobList {
  const list = byId('job-list', HTMLElement);
  const rows = new Map<string, JobRow>();
  return {
    show: (jobs, nowMs) => {
      const changes = changesInWords(
        Array.from(rows.values(), (row) => row.job()),
        jobs,
      );
      const shown = new Set(jobs.map(({ id }) => id));
      for (const [id, { element }] of rows) {
        if (shown.has(id)) continue;
        element.remove();
        rows.delete(id);
      }
      for (const [index, job] of jobs.entries()) {
        const row = rows.get(job.id) ?? createJobRow(job, options);
        rows.set(job.id, row);
        row.update(job, nowMs);
        // Moves an element only if needed: a moved element loses the focus.
        const there = list.children[index];
        if (there !== row.element) list.insertBefore(row.element, there ?? null);
      }
      return changes;
    },
    point: (job) => {
      const row = rows.get(job.id);
      row?.update(job, Date.now());
      row?.element.focus();
    },
  };
}

/** Returns a function that moves the focus to a job when it is first in the list: the job to which a link leads. */
export function createArrival({ point }: JobList, id: string): (jobs: readonly CaptureJob[]) => void {
  let hasArrived = false;
  return (jobs) => {
    const job = jobs.find((each) => each.id === id);
    if (hasArrived || job === undefined) return;
    hasArrived = true;
    point(job);
  };
}
