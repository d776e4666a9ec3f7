import { showComparison } from '../compare/comparison-view.ts';
import { byId, make } from '../dom.ts';
import { ownPicture, timeInWords } from './watch-card.ts';
import type { Run, Watch } from './watch-calls.ts';

/** Shows the runs of a watch, with its newest change beside its baseline. */
export function showHistory(watch: Watch, runs: readonly Run[]): void {
  const section = byId('comparison', HTMLElement);
  const rows = runs.map((run) => rowOf(run, () => void showRun(run, runs)));
  const list = make('ol', { class: 'runs', id: 'runs' }, ...rows);
  const stage = make('div', { id: 'run-stage' });
  section.replaceChildren(make('h2', { id: 'history' }, `History of ${watch.label ?? watch.id}`), list, stage);
  section.focus();
}

function rowOf(run: Run, show: () => void): HTMLElement {
  const { outcome, started_at: at, url, error, comparison } = run;
  const words = comparison === undefined ? '' : `${(comparison.ratio * 100).toFixed(2)} % differs`;
  const button = make('button', { type: 'button', class: 'quiet' }, 'Compare');
  button.addEventListener('click', show);
  return make(
    'li',
    { class: 'run', 'data-outcome': outcome },
    make('strong', { class: 'state' }, outcome),
    make('time', { datetime: at }, timeInWords(at)),
    make('span', { class: 'hint' }, error?.message ?? words),
    ownPicture(run) !== undefined && comparison !== undefined ? button : undefined,
    url === undefined ? undefined : make('a', { href: url, target: '_blank', rel: 'noreferrer' }, 'Open'),
  );
}

/** Shows a change with its baseline: their pictures, and the regions that differ. */
async function showRun(run: Run, runs: readonly Run[]): Promise<void> {
  const baseline = runs.find(({ id }) => id === run.comparison?.baseline);
  const [before, after] = [ownPicture(baseline), ownPicture(run)];
  if (run.comparison === undefined || before === undefined || after === undefined) {
    byId('announcement', HTMLElement).textContent = 'The baseline of this run is no longer kept';
    return;
  }
  const [beforeSize, afterSize] = await Promise.all([sizeOf(before), sizeOf(after)]);
  const { ratio, regions = [] } = run.comparison;
  const kept = byId('runs', HTMLElement);
  const heading = byId('history', HTMLElement);
  showComparison({ changed: true, ratio, regions, before: beforeSize, after: afterSize }, { before, after });
  byId('comparison', HTMLElement).prepend(heading, kept);
}

async function sizeOf(source: string): Promise<{ readonly width: number; readonly height: number }> {
  const image = make('img', { src: source, alt: '' });
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
}
