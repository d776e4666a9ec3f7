import { CaptureError } from '../../client/capture-error.ts';
import { readIgnored } from '../compare/ignored.ts';
import { byId, make, prose } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import { type Caller, serviceUrl } from '../send.ts';
import { createTokenKeeper, type TokenKeeper } from '../token.ts';
import { showHistory } from './run-history.ts';
import { act, pathOf, readRuns, readWatches, type Watch } from './watch-calls.ts';
import { type CardAction, createWatchCard } from './watch-card.ts';
import { editWatch } from './watch-editor.ts';

/** Milliseconds between two polls, while a run is going and otherwise. */
const [BUSY_MS, QUIET_MS] = [1_000, 15_000];

/** Builds the page of watches. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const reference = parseReference(await answer.json());
  showHead('Watches', reference);
  if (reference.jobStates === undefined) {
    byId('watches-page', HTMLElement).replaceChildren(explanation());
    document.documentElement.dataset['ready'] = 'true';
    return;
  }
  const tokens = createTokenKeeper(reference.needsToken, () => void page.refresh());
  const page = createPage(tokens);
  await page.refresh();
}

function createPage({ withToken }: Pick<TokenKeeper, 'withToken'>): { readonly refresh: () => Promise<void> } {
  const [list, notices] = [byId('watch-list', HTMLElement), byId('notices', HTMLElement)];
  const [none, more] = [byId('none', HTMLElement), byId('more', HTMLButtonElement)];
  let pages = 1;
  let timer: number | undefined;

  /** Shows an answer that is an error. Returns any other answer. */
  const checked = <Answer>(answer: Answer | CaptureError | undefined): Answer | undefined => {
    if (answer instanceof CaptureError) notices.replaceChildren(failureNotice(answer));
    return answer instanceof CaptureError ? undefined : answer;
  };
  const readAll = async (caller: Caller): Promise<{ watches: Watch[]; hasMore: boolean } | CaptureError> => {
    const watches: Watch[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page++) {
      const read = await readWatches(cursor, caller);
      if (read instanceof CaptureError) return read;
      watches.push(...read.watches);
      cursor = read.next_cursor;
      if (cursor === undefined) break;
    }
    return { watches, hasMore: cursor !== undefined };
  };
  const refresh = async (): Promise<void> => {
    clearTimeout(timer);
    const read = checked(await withToken((token) => readAll({ token })));
    document.documentElement.dataset['ready'] = 'true';
    if (read === undefined) return;
    show(list, read.watches, onAction);
    none.hidden = read.watches.length > 0;
    more.hidden = !read.hasMore;
    const isRunning = read.watches.some(({ current_run: run }) => run !== undefined);
    timer = window.setTimeout(() => void refresh(), isRunning ? BUSY_MS : QUIET_MS);
  };
  const change = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<boolean> => {
    notices.replaceChildren();
    const answer = checked(await withToken((token) => act(method, path, { token }, body)));
    await refresh();
    return answer !== undefined;
  };
  const onAction = (action: CardAction, watch: Watch, button: HTMLButtonElement): void => {
    const path = pathOf(watch.id);
    if (action === 'run' || action === 'accept') void change('POST', `${path}/${action}`);
    if (action === 'pause') void change('PATCH', path, { state: 'paused' });
    if (action === 'resume') void change('PATCH', path, { state: 'active' });
    if (action === 'edit') editWatch(watch, (changes) => change('PATCH', path, changes));
    if (action === 'remove') confirmRemoval(button, () => void change('DELETE', path));
    if (action === 'runs') void history(watch);
  };
  const history = async (watch: Watch): Promise<void> => {
    const read = checked(await withToken((token) => readRuns(watch.id, { token })));
    if (read !== undefined) showHistory(watch, read.runs);
  };
  const [url, button] = [byId('url', HTMLInputElement), byId('add', HTMLButtonElement)];
  const add = async (): Promise<void> => {
    button.disabled = true; // a second press would add a second watch
    const isAdded = await change('POST', 'watches', readForm());
    button.disabled = false;
    if (!isAdded) return;
    url.value = '';
    byId('announcement', HTMLElement).textContent = 'The watch was added';
    url.focus();
  };
  byId('watch-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void add();
  });
  more.addEventListener('click', () => {
    pages += 1;
    void refresh();
  });
  return { refresh };
}

/** Shows the cards. A card whose watch has not changed stays, with the focus. */
function show(
  list: HTMLElement,
  watches: readonly Watch[],
  onAction: (action: CardAction, watch: Watch, button: HTMLButtonElement) => void,
): void {
  const before = new Map([...list.children].map((card) => [card.getAttribute('data-id'), card]));
  const cards = watches.map((watch) => {
    // The links of a run change with each answer.
    const text = JSON.stringify({ ...watch, last_run: { ...watch.last_run, url: '', expires_at: '' } });
    const known = before.get(watch.id);
    if (known?.getAttribute('data-text') === text) return known;
    const card = createWatchCard(watch, { onAction });
    card.dataset['text'] = text;
    const focused = known?.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-action')
      : null;
    if (focused) setTimeout(() => (card.querySelector<HTMLElement>(`[data-action="${focused}"]`) ?? card).focus());
    return card;
  });
  list.replaceChildren(...cards);
}

/** Removes only with a second press: a removed watch loses its history. */
function confirmRemoval(button: HTMLButtonElement, remove: () => void): void {
  if (button.dataset['sure'] === 'true') {
    remove();
    return;
  }
  button.dataset['sure'] = 'true';
  button.textContent = 'Remove with its history';
}

function readForm(): object {
  const ignore = readIgnored(textIn('ignore'));
  return {
    capture: { url: textIn('url'), full_page: byId('full-page', HTMLInputElement).checked },
    schedule: textIn('schedule'),
    ...(textIn('timezone') !== '' && { timezone: textIn('timezone') }),
    ...(textIn('webhook') !== '' && { webhook_url: textIn('webhook') }),
    compare: byId('is-compared', HTMLInputElement).checked ? { ignore } : null,
  };
}

function textIn(id: string): string {
  return byId(id, HTMLInputElement).value.trim();
}

/** Explains the missing settings to visitors. */
function explanation(): HTMLElement {
  const sentence =
    'Watches need jobs: the setting `DATA_DIR` for one machine, or `REDIS_URL` and `STORAGE` for several.';
  return make(
    'div',
    { class: 'empty', id: 'watches', tabindex: -1 }, // where the skip link leads
    make('h1', { class: 'empty-title' }, 'This service has no watches'),
    make('p', { class: 'hint' }, ...prose(sentence)),
  );
}

await main();
