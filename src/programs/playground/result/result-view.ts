import { byId, explanationLink, make, prose } from '../dom.ts';
import { failureNotice } from './failure-notice.ts';
import { createPreview, type Subject } from './preview.ts';
import type { CaptureError } from '../../client/capture-error.ts';
import type { Captured } from '../send.ts';
import { formatInWords, parseServerTiming, sizeInWords, timeInWords } from '../format-units.ts';

const TICK_MS = 100;
/** Phases of a capture, each with a colour of its own. */
const PHASES = 5;

interface ResultView {
  /** Shows that a capture is running, with a cancel button. */
  readonly start: (cancel: () => void) => void;
  readonly showCapture: (captured: Captured, subject: Subject) => Promise<void>;
  readonly showFailure: (failure: CaptureError) => void;
  readonly showCancelled: () => void;
  /** Shows that nothing was sent, because the form marks what is missing. */
  readonly showUnsent: () => void;
  /** Shows a notice beside the current content. */
  readonly showNotice: (notice: HTMLElement, words: string) => void;
}

/** The pane beside the form: progress, result or error. */
export function createResultView(warnings: Readonly<Record<string, string>>): ResultView {
  const { card, title, facts, notices, stage, actions, timing, elapsed, announcement } = findElements();
  let startedAt = 0;
  let ticking: ReturnType<typeof setInterval> | undefined;
  let links: readonly string[] = [];

  const clear = (): void => {
    for (const place of [facts, notices, actions, timing]) place.replaceChildren();
  };
  const end = (state: string, heading: string, words: string): number => {
    clearInterval(ticking);
    const tookMs = performance.now() - startedAt;
    elapsed.textContent = '';
    card.dataset['state'] = state;
    card.removeAttribute('aria-busy');
    title.textContent = heading;
    announcement.textContent = words;
    clear();
    return tookMs;
  };
  const drop = (): void => {
    stage.replaceChildren();
    for (const link of links) URL.revokeObjectURL(link);
    links = [];
  };

  return {
    start: (cancel) => {
      clear();
      startedAt = performance.now();
      card.dataset['state'] = 'running';
      card.setAttribute('aria-busy', 'true');
      title.textContent = 'Capturing';
      announcement.textContent = 'Capturing';
      const tick = (): void => {
        elapsed.textContent = `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
      };
      clearInterval(ticking);
      ticking = setInterval(tick, TICK_MS);
      tick();
      const button = make('button', { type: 'button', id: 'cancel' }, 'Cancel');
      button.addEventListener('click', cancel, { once: true });
      actions.append(button);
    },
    showCapture: async (captured, subject) => {
      const preview = await createPreview(captured, subject);
      const [width, height] = [captured.header('X-Image-Width'), captured.header('X-Image-Height')];
      const size = width !== undefined && height !== undefined ? `${width} × ${height}` : undefined;
      const kind = formatInWords(captured.type);
      const tookMs = end('captured', kind, `Captured: ${kind}${size === undefined ? '' : `, ${size} pixels`}`);
      drop();
      links = preview.links;
      stage.append(preview.content);
      actions.append(...preview.actions);
      facts.append(...captureFacts(captured, { size, tookMs, requested: subject.title }));
      notices.append(...warningNotices(captured, warnings));
      timing.append(...[timingBar(captured.header('Server-Timing') ?? '')].filter((bar) => bar !== undefined));
    },
    showFailure: (failure) => {
      end('failed', 'Not captured', `Not captured: ${failure.message}`);
      drop();
      notices.append(failureNotice(failure));
    },
    showCancelled: () => {
      const tookMs = end('empty', 'Cancelled', 'Cancelled');
      drop();
      stage.append(emptyStage(`Cancelled after ${timeInWords(tookMs)}`));
    },
    showUnsent: () => {
      end('empty', 'Not sent', 'Not sent: the form marks what is missing');
      drop();
      stage.append(emptyStage('Not sent: the form marks what is missing'));
    },
    showNotice: (notice, words) => {
      notices.replaceChildren(notice);
      notice.scrollIntoView({ block: 'nearest' });
      announcement.textContent = words;
    },
  };
}

function emptyStage(words: string): HTMLElement {
  return make('div', { class: 'empty' }, make('p', { class: 'empty-title' }, words));
}

function findElements() {
  return {
    card: byId('stage-card', HTMLElement),
    title: byId('result-title', HTMLElement),
    facts: byId('facts', HTMLElement),
    notices: byId('notices', HTMLElement),
    stage: byId('stage', HTMLElement),
    actions: byId('actions', HTMLElement),
    timing: byId('timing', HTMLElement),
    elapsed: byId('elapsed', HTMLElement),
    announcement: byId('announcement', HTMLElement),
  };
}

function captureFacts(
  captured: Captured,
  {
    size,
    tookMs,
    requested,
  }: { readonly size: string | undefined; readonly tookMs: number; readonly requested: string },
): HTMLElement[] {
  const url = captured.header('X-Target-Url');
  const status = captured.header('X-Target-Status');
  return [
    ...fact('Size', size),
    ...fact('File', sizeInWords(captured.body.size)),
    ...fact('Page status', status, Number(status) >= 400 ? 'bad' : undefined),
    ...fact('Time', timeInWords(tookMs)),
    ...fact('Page', url === requested ? undefined : url, 'wide'),
    ...storedFact(captured),
  ];
}

function fact(name: string, value: string | undefined, className?: string): HTMLElement[] {
  if (value === undefined) return [];
  return [make('div', { class: className }, make('dt', {}, name), make('dd', { title: value }, value))];
}

/** A link to the stored result. */
function storedFact(captured: Captured): HTMLElement[] {
  const [path, url] = [captured.header('X-Stored-Path'), captured.header('X-Stored-Url')];
  if (path === undefined || url === undefined) return [];
  const link = make('a', { href: url, target: '_blank', rel: 'noreferrer' }, path);
  return [make('div', { class: 'wide' }, make('dt', {}, 'Stored'), make('dd', {}, link))];
}

function warningNotices(captured: Captured, warnings: Readonly<Record<string, string>>): HTMLElement[] {
  const codes = captured.header('X-Capture-Warnings')?.split(',') ?? [];
  const blocked = captured.header('X-Blocked-Requests');
  const filtered = captured.header('X-Filtered-Requests');
  const explained = codes.map((code) =>
    make(
      'p',
      { class: 'notice' },
      ...prose(`${warnings[code.trim()] ?? 'Unknown warning'}. `),
      explanationLink(code.trim()),
    ),
  );
  const sentences = [
    ...(blocked === undefined ? [] : [`${blocked} connections of the page were refused by the egress rules`]),
    ...(filtered === undefined ? [] : [`${filtered} requests of the page were blocked, as requested`]),
  ];
  return [...explained, ...sentences.map((sentence) => make('p', { class: 'notice' }, ...prose(`${sentence}.`)))];
}

/** A bar with the time of each phase, and its legend. */
function timingBar(serverTiming: string): HTMLElement | undefined {
  const phases = parseServerTiming(serverTiming);
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return undefined;
  const pieces = phases.flatMap(({ ms }, index) => {
    if (ms < 0.5) return [];
    const piece = make('span', { class: `piece phase-${index % PHASES}` });
    piece.style.flexGrow = `${ms}`;
    return piece;
  });
  const legend = phases.map(({ name, ms }, index) =>
    make(
      'div',
      {},
      make('dt', {}, make('span', { class: `swatch phase-${index % PHASES}`, 'aria-hidden': 'true' }), name),
      make('dd', {}, timeInWords(ms)),
    ),
  );
  return make(
    'section',
    { class: 'timing', 'aria-label': `Server timing, ${timeInWords(total)} in all` },
    make('div', { class: 'timing-bar', 'aria-hidden': 'true' }, ...pieces),
    make('dl', { class: 'timing-legend' }, ...legend),
  );
}
