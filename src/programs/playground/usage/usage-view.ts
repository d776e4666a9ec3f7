import { CaptureError } from '../../client/capture-error.ts';
import { byId, make } from '../dom.ts';
import { sizeInWords } from '../format-units.ts';
import { labelOf } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import type { TokenKeeper } from '../token.ts';
import { drawChart } from './chart.ts';
import { daysOf, type Day, monthAfter, readUsage, type Usage } from './usage-calls.ts';

const COLUMNS = ['captures', 'cached', 'failed', 'jobs', 'bytes'] as const;
/** The key that may read the usage of other keys. */
const DEFAULT_KEY = 'default';

/** Shows the usage of a month for the key of the token. The key `default` may choose another key. */
export function createUsageView({ withToken }: Pick<TokenKeeper, 'withToken'>): {
  readonly show: () => Promise<void>;
} {
  const [content, notices] = [byId('usage', HTMLElement), byId('notices', HTMLElement)];
  const [form, input] = [byId('key-form', HTMLFormElement), byId('key', HTMLInputElement)];
  const thisMonth = new Date().toISOString().slice(0, 7);
  let month = thisMonth;
  let key: string | undefined;

  const show = async (): Promise<void> => {
    const shown = { month, key };
    const answer = await withToken((token) => readUsage(shown, { token }));
    document.documentElement.dataset['ready'] = 'true';
    if (shown.month !== month || shown.key !== key) return; // the user has chosen another one meanwhile
    if (answer === undefined) {
      notices.replaceChildren(make('p', { class: 'notice' }, 'Enter the token to see the usage.'));
      return;
    }
    if (answer instanceof CaptureError) {
      notices.replaceChildren(failureNotice(answer));
      content.replaceChildren();
      return;
    }
    notices.replaceChildren();
    if (answer.key === DEFAULT_KEY) form.hidden = false;
    byId('month', HTMLElement).textContent = nameOf(month);
    byId('later', HTMLButtonElement).disabled = month >= thisMonth;
    content.replaceChildren(...render(answer, month));
  };
  const move = (by: number): void => {
    month = monthAfter(month, by);
    void show();
  };
  byId('earlier', HTMLButtonElement).addEventListener('click', () => move(-1));
  byId('later', HTMLButtonElement).addEventListener('click', () => move(1));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    key = input.value.trim() === '' ? undefined : input.value.trim();
    void show();
  });
  return {
    show: async () => {
      key = undefined; // another token may belong to another key
      form.hidden = true;
      await show();
    },
  };
}

function render({ key, days, quota }: Usage, month: string): HTMLElement[] {
  const legend = COLUMNS.slice(0, 3).map((name) => make('span', { class: `legend ${name}` }, labelOf(name)));
  const chart = make('div', { class: 'card chart-card' }, make('p', { class: 'hint' }, ...legend));
  chart.append(drawChart(daysOf(month), days));
  const table = days.length === 0 ? make('p', { class: 'hint none' }, 'No usage in this month.') : renderTable(days);
  return [make('p', { class: 'key-line' }, 'Key ', make('code', {}, key)), renderQuota(quota), chart, table];
}

function renderQuota(quota: Usage['quota']): HTMLElement {
  if (quota === null) return make('p', { class: 'hint' }, 'This key has no quota.');
  const { limit, used, resets_at: resetsAt } = quota;
  const words = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} captures used, until ${resetsAt.slice(0, 16).replace('T', ' ')} UTC`;
  const meter = make('progress', { max: limit, value: Math.min(used, limit), 'aria-label': 'Used quota' });
  return make('div', { class: 'quota' }, meter, make('p', { class: 'hint' }, words));
}

function renderTable(days: readonly Day[]): HTMLElement {
  const cells = (day: Day): HTMLElement[] =>
    COLUMNS.map((name) => make('td', {}, name === 'bytes' ? sizeInWords(day.bytes) : day[name].toLocaleString('en')));
  const head = ['date', ...COLUMNS].map((name) => make('th', { scope: 'col' }, labelOf(name)));
  const rows = days.toReversed().map((day) => make('tr', {}, make('th', { scope: 'row' }, day.date), ...cells(day)));
  return make(
    'div',
    { class: 'card table-card' },
    make('table', { class: 'days' }, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows)),
  );
}

function nameOf(month: string): string {
  const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(`${month}-01`).toLocaleDateString('en', options);
}
