import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture, captureSoon } from '../../support/http.ts';
import { startService } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Action = Readonly<Record<string, unknown>>;

const CLICK: Action = { type: 'click', selector: '#buy' };
const BUTTON = `<button id="buy" onclick="document.title = 'bought'">Buy</button>`;
const cover = (id = 'cover'): string =>
  `<div id="${id}" class="veil dark" style="position:fixed;inset:0;background:#888">secret words</div>`;

const failed = (error_details: string): object => ({
  status: 400,
  error_type: 'ActionFailedError',
  error_details,
});
const later = (script: string, afterMs = 800): string => `<script>setTimeout(() => { ${script} }, ${afterMs})</script>`;
const select = (values: string[]): Action => ({ type: 'select', selector: '#it', values });
const check = (checked: boolean): Action => ({ type: 'check', selector: '#it', checked });

describe('action timing', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const act = (body: string, actions: readonly Action[], more: object = {}): Promise<CaptureAnswer> =>
    capture(service.url, {
      html_content: `<title>-</title>${body}`,
      format: 'html',
      actions,
      wait_for_timeout: 10_000,
      ...more,
    });
  const titleAfter = async (body: string, actions: readonly Action[], more: object = {}): Promise<string> => {
    const { body: source } = await act(body, actions, more);
    return /<title>(.*?)<\/title>/.exec(source.toString())?.[1] ?? source.toString();
  };
  const failureOf = async (body: string, actions: readonly Action[]): Promise<unknown> => {
    const { status, error_type, error_details } = readError(
      await captureSoon(service.url, { html_content: `<title>-</title>${body}`, actions }),
    );
    return { status, error_type, error_details };
  };

  it.each([
    ['appears late', `<main></main>${later(`document.querySelector('main').innerHTML = \`${BUTTON}\``)}`],
    [
      'becomes visible late',
      `<style>#buy{display:none} .on #buy{display:inline}</style>${BUTTON}${later(`document.body.className = 'on'`)}`,
    ],
    ['is enabled late', `${BUTTON}<script>buy.disabled = true</script>${later('buy.disabled = false')}`],
    ['is covered at first', `${BUTTON}${cover()}${later('cover.remove()')}`],
    [
      'moves at first',
      `<style>@keyframes in { from { margin-left: 0 } } #buy { position:relative; margin-left:900px; animation: in 1s linear }</style>${BUTTON}`,
    ],
    [
      'is moved by a script at first',
      `${BUTTON}<script>const until = performance.now() + 800; (function move(now) { buy.style.marginLeft = Math.random() * 500 + 'px'; if (now < until) requestAnimationFrame(move); })(0)</script>`,
    ],
    [
      'pulses',
      `<style>@keyframes pulse { to { transform: scale(1.2) } } #buy { margin:50px; animation: pulse 0.3s infinite alternate }</style>${BUTTON}`,
    ],
    [
      'is in a frame that appears late',
      later(
        `const frame = document.createElement('iframe'); frame.srcdoc = '<button id="buy">Buy</button>'; document.body.append(frame); frame.onload = () => { frame.contentDocument.querySelector('button').onclick = () => { document.title = 'bought' } }`,
      ),
    ],
  ])('waits for an element that %s', async (_what, body) => {
    expect(await titleAfter(body, [CLICK], { run_ahead: 0 })).toBe('bought');
  });

  it('waits for the page to hydrate before the first action', async () => {
    const body = `<button id="buy">Buy</button>${later(`buy.onclick = () => { document.title = 'bought' }`, 1_500)}`;

    expect(await titleAfter(body, [CLICK])).toBe('bought');
  });

  it.each([
    ['nothing matches', '<p>', 'no element matches #buy'],
    ['the element is hidden', `<div hidden>${BUTTON}</div>`, '#buy is not visible'],
    ['the element is empty', '<span id="buy"></span>', '#buy is not visible'],
    ['the element is disabled', `<fieldset disabled>${BUTTON}</fieldset>`, '#buy is disabled'],
    ['the element is aria-disabled', `<div aria-disabled="true">${BUTTON}</div>`, '#buy is disabled'],
    ['the element is covered', `${BUTTON}${cover()}`, '#buy is covered by div#cover.veil.dark'],
    [
      'the element is in a covered frame',
      `<iframe srcdoc='${BUTTON.replaceAll("'", '')}'></iframe>${cover()}`,
      '#buy is covered by div#cover.veil.dark',
    ],
    [
      'the element is covered by one with a long name',
      `${BUTTON}${cover('x'.repeat(500))}`,
      `#buy is covered by div#${'x'.repeat(56)}`,
    ],
    [
      'the element never stops moving',
      `${BUTTON}<script>const move = () => { buy.style.marginLeft = Math.random() * 500 + 'px'; }; setInterval(move, 1); (function again() { move(); requestAnimationFrame(again); })()</script>`,
      '#buy moves without rest',
    ],
    [
      'the element cannot be scrolled into view',
      '<button id="buy" style="position:fixed;left:-500px">Buy</button>',
      "#buy can't be scrolled into view",
    ],
    [
      'the element moves away from the mouse',
      `<div style="height:100px"></div>${BUTTON}<script>buy.onmouseenter = () => { buy.style.marginLeft = buy.style.marginLeft === '500px' ? '0px' : '500px' }</script>`,
      '#buy moves away from the mouse',
    ],
  ])('times out when %s', async (_why, body, problem) => {
    expect(await failureOf(body, [CLICK])).toEqual(failed(`actions[0] click: ${problem}`));
  });

  const type = { type: 'type', selector: '#it', text: 'hunter2' };
  it.each([
    ['to type text into a button', '<button id="it">Go</button>', type, 'accepts no text'],
    ['to type text into a read-only field', '<input id="it" readonly>', type, 'is read-only'],
    ['to type text into a file field', '<input id="it" type="file">', type, "is a file field: files can't be chosen"],
    [
      'to click a file field',
      '<input id="it" type="file">',
      { ...CLICK, selector: '#it' },
      "is a file field: files can't be chosen",
    ],
    [
      'to click the label of a file field',
      '<label id="it">Up<input type="file" hidden></label>',
      { ...CLICK, selector: '#it' },
      "is a file field: files can't be chosen",
    ],
    [
      'to type an invalid date',
      '<input id="it" type="date">',
      type,
      'is a date field: text must be a valid value for it',
    ],
    [
      'to type text into a slider',
      '<input id="it" type="range">',
      type,
      'is a range field: text must be a valid value for it',
    ],
    ['to select options of a text field', '<input id="it">', select(['a']), 'is not a select field'],
    [
      'to select two options where one is allowed',
      '<select id="it"><option>a<option>b</select>',
      select(['a', 'b']),
      'accepts only one value',
    ],
    ['to check a paragraph', '<p id="it">a', check(true), 'is not a checkbox, a radio button or a switch'],
    [
      'to uncheck a radio button',
      '<input id="it" type="radio" checked>',
      check(false),
      'is a radio button: to clear it, choose another one of its group',
    ],
    [
      'to check a checkbox that stays off',
      '<input id="it" type="checkbox" onclick="return false">',
      check(true),
      'stays off when it is clicked',
    ],
  ])('fails on an attempt %s', async (_what, body, action, problem) => {
    expect(await failureOf(body, [action])).toEqual(failed(`actions[0] ${String(action['type'])}: #it ${problem}`));
  });

  it.each([
    [['a', 'x'], 'values[1] is not an option of #it'],
    [['b'], 'values[0] is a disabled option of #it'],
    [['c'], 'values[0] is a disabled option of #it'],
  ])('refuses options %j that cannot be selected', async (values, problem) => {
    const body = '<select id="it" multiple><option>a<option disabled>b<optgroup disabled><option>c</select>';

    expect(await failureOf(body, [select(values)])).toEqual(failed(`actions[0] select: ${problem}`));
  });

  it('continues after a failed optional action', async () => {
    const missing = { type: 'click', selector: '#none', optional: true };

    expect(await titleAfter(BUTTON, [missing, CLICK], { wait_for_timeout: 30_000 })).toBe('bought');
  });

  it('refuses an invalid selector before any page is open', async () => {
    const answer = await act('<p>', [CLICK, { type: 'wait', selector: '#a[' }]);

    expect(readError(answer)).toEqual(invalid('actions[1].selector: must be a valid CSS selector'));
  });

  it('runs actions on a page with JavaScript disabled', async () => {
    const body = `<details><summary id="buy">More</summary><p>text</details><input id="it"><input type="checkbox" id="tick">`;
    const { body: source } = await act(
      body,
      [CLICK, { ...type, text: 'x' }, { type: 'check', selector: '#tick' }, { type: 'scroll', to: 'bottom' }],
      { javascript: false },
    );

    expect(source.toString()).toContain('<details open="">');
  });

  it('logs no typed text', async () => {
    await using noisy = await startService({ LOG_LEVEL: 'trace' });
    const secret = 'correct-horse-battery';
    const bodies = ['<input id="it">', '<p id="it">', '<input id="it" type="date">', '<input id="it" disabled>'];

    for (const body of bodies)
      await capture(noisy.url, {
        html_content: body,
        actions: [{ ...type, text: secret }],
        wait_for_timeout: 300,
        cache_ttl: 60,
      });

    expect(noisy.output()).not.toContain(secret);
    expect(noisy.output()).toContain('ActionFailedError');
    expect(noisy.output()).not.toContain('#it');
  });
});
