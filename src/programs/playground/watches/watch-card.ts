import { make } from '../dom.ts';
import type { Run, Watch } from './watch-calls.ts';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export type CardAction = 'run' | 'accept' | 'pause' | 'resume' | 'edit' | 'remove' | 'runs';

/** What a card shows and does. */
interface CardOptions {
  readonly onAction: (action: CardAction, watch: Watch, button: HTMLButtonElement) => void;
}

/** The card of a watch: what it found last, when it runs next, and buttons. */
export function createWatchCard(watch: Watch, { onAction }: CardOptions): HTMLElement {
  const { id, label = id, state, schedule, timezone, last_run: last } = watch;
  const name = `watch-${id}`;
  const button = (action: CardAction, text: string): HTMLButtonElement => {
    const made = make('button', { type: 'button', 'data-action': action, 'aria-describedby': name }, text);
    made.addEventListener('click', () => onAction(action, watch, made));
    return made;
  };
  return make(
    'li',
    { class: 'card job watch', tabindex: -1, 'data-id': id, 'data-state': stateOf(watch) },
    make('div', { class: 'sheet-small' }, pictureOf(last)),
    make(
      'div',
      { class: 'job-words' },
      make('p', { class: 'job-label', id: name }, label),
      make('p', { class: 'job-title' }, make('strong', { class: 'state' }, wordOf(watch))),
      make('p', { class: 'hint' }, whenOf(watch)),
      make('p', { class: 'hint' }, `${schedule}${timezone === 'UTC' ? '' : `, ${timezone}`}`),
      last?.error && make('p', { class: 'problem' }, last.error.message),
    ),
    make(
      'div',
      { class: 'job-actions watch-actions' },
      button('runs', 'History'),
      button('run', 'Run now'),
      watch.compare !== null && last?.outcome === 'changed' ? button('accept', 'Accept') : undefined,
      state === 'paused' ? button('resume', 'Resume') : button('pause', 'Pause'),
      button('edit', 'Edit'),
      button('remove', 'Remove'),
    ),
  );
}

function stateOf({ current_run: current, last_run: last }: Watch): string {
  if (current !== undefined) return 'running';
  return last?.outcome === 'failed' ? 'failed' : 'done';
}

function wordOf({ state, current_run: current, last_run: last }: Watch): string {
  if (current !== undefined) return 'Running';
  const found = last === undefined ? 'No run yet' : `${last.outcome.charAt(0).toUpperCase()}${last.outcome.slice(1)}`;
  return state === 'paused' ? `Paused, last: ${found.toLowerCase()}` : found;
}

function whenOf({ next_run_at: next, paused_by: pausedBy, failures, last_run: last }: Watch): string {
  const ran = last === undefined ? '' : `Ran ${timeInWords(last.started_at)}. `;
  if (next !== undefined) return `${ran}Runs next ${timeInWords(next)}`;
  return `${ran}${pausedBy === 'failures' ? `Paused after ${failures} failures` : 'Paused'}`;
}

export function timeInWords(time: string): string {
  return TIME.format(new Date(time));
}

/** Decorative: the words beside it have the same information. Buckets of other origins are only linked to. */
function pictureOf(run: Run | undefined): HTMLElement {
  const source = ownPicture(run);
  return source === undefined
    ? make('div', { 'aria-hidden': 'true' }, make('span', {}, '–'))
    : make('div', { 'aria-hidden': 'true' }, make('img', { src: source, alt: '' }));
}

/** Returns the address of the picture of a run. Undefined if it has none, or not at this origin. */
export function ownPicture(run: Run | undefined): string | undefined {
  if (run?.url === undefined || run.content_type?.startsWith('image/') !== true) return undefined;
  return URL.parse(run.url)?.origin === location.origin ? run.url : undefined;
}
