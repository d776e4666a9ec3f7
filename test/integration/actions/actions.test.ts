import { beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { type ReadError, readError } from '../../support/errors.ts';
import { capture, captureSoon } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Actions = readonly Readonly<Record<string, unknown>>[];

/** Records events in order: the page calls `report(what)`, and `#reported` holds the list. */
const REPORT = `<output id="reported" style="position:fixed;bottom:0"></output><script>
  window.report = (...what) => { reported.append(what.join(' ') + ';'); };
  const listen = (element, ...types) => {
    for (const type of types) element.addEventListener(type, (event) => report(type, event.isTrusted));
  };
</script>`;

/** Records the value of a field on each change. */
const field = (tag: string): string =>
  `<body oninput="const [field] = event.composedPath(); report(field.value ?? field.innerText)">${tag}`;

describe('actions', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const after = async (body: string, actions: Actions, more: object = {}): Promise<string> => {
    const fields = {
      html_content: `${REPORT}${body}`,
      format: 'html',
      actions,
      wait_for_timeout: 10_000,
      ...more,
    };
    const answer = await capture(service.url, fields);
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.body.toString() }).toEqual({
      status: 200,
      text: '',
    });
    return answer.body.toString();
  };
  const eventsAfter = async (body: string, actions: Actions, more: object = {}): Promise<string> => {
    const source = await after(body, actions, more);
    return /<output id="reported"[^>]*>(.*?)<\/output>/s.exec(source)?.[1] ?? source;
  };
  const failureOf = async (body: string, actions: Actions): Promise<ReadError> =>
    readError(await captureSoon(service.url, { html_content: `${REPORT}${body}`, actions }));

  describe('with the mouse', () => {
    it('click with the events of a real visitor', async () => {
      const events = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
      const body = `<button id="go">Go</button><script>listen(go, ${events.map((type) => `'${type}'`).join()})</script>`;

      expect(await eventsAfter(body, [{ type: 'click', selector: '#go' }])).toBe(
        events.map((type) => `${type} true;`).join(''),
      );
    });

    it.each([
      [
        'in a frame',
        `<iframe style="border:9px solid; padding:7px; margin:50px" srcdoc="<body style='margin:30px'><button onclick='parent.report(1)'>"></iframe>`,
      ],
      [
        'in a frame inside an enlarged frame',
        `<iframe style="width:200px;height:150px;transform:scale(1.5) translate(60px,40px)" srcdoc="<iframe style='margin:20px;width:120px;height:80px' srcdoc=&quot;<button onclick='top.report(1)'>&quot;></iframe>"></iframe>`,
      ],
      [
        'in an open shadow tree',
        `<div id="host"></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<p><button onclick="report(1)">In</button></p>'</script>`,
      ],
      [
        'in a slot',
        `<my-card><button onclick="report(1)">In</button></my-card><script>customElements.define('my-card', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<div><slot></slot></div>' } })</script>`,
      ],
      [
        'far down and to the right',
        `<div style="width:5000px;height:5000px"></div><button style="position:absolute;left:4000px;top:4000px" onclick="report(1)">Go</button>`,
      ],
      [
        'in a scrolled container',
        `<div style="overflow:auto;width:200px;height:100px"><div style="overflow:auto;height:300px;margin-top:400px"><div style="height:900px"></div><button onclick="report(1)">Go</button></div></div>`,
      ],
      [
        'on a page with smooth scrolling',
        `<style>html{scroll-behavior:smooth}</style><div style="height:5000px"></div><button onclick="report(1)">Go</button>`,
      ],
      [
        'below a fixed bar',
        `<div style="position:fixed;inset:0 0 auto;height:300px;background:#ccc">bar</div><div style="height:1500px"></div><button onclick="report(1)">Go</button><div style="height:1500px"></div>`,
      ],
      [
        'rotated and skewed',
        `<button style="margin:200px;transform:rotate(40deg) skewX(20deg)" onclick="report(1)">Go</button>`,
      ],
      [
        'wrapped over two lines',
        `<p style="width:120px">many words come before <button style="display:inline;width:auto" onclick="report(1)">that</button> <a onclick="report(2)">and these</a></p>`,
      ],
      [
        'with content that ignores the mouse',
        `<button onclick="report(1)"><span style="pointer-events:none">Go</span></button>`,
      ],
      [
        'hidden at the first attempt',
        `<button hidden onclick="report(0)">Go</button><button style="visibility:hidden" onclick="report(0)">Go</button><button onclick="report(1)">Go</button>`,
      ],
      [
        'half covered',
        `<button style="width:400px;height:60px" onclick="report(1)">Go</button><div style="position:absolute;left:150px;top:0;width:500px;height:400px;background:#ccc"></div>`,
      ],
      ['removed by its own click', `<button onclick="this.remove(); report(1)">Go</button>`],
    ])('click an element that is %s', async (_where, body) => {
      const selector = body.includes('<span') ? 'span' : 'button';

      expect(await eventsAfter(body, [{ type: 'click', selector }])).toBe('1;');
    });

    it('leave the mouse at the hovered element, so the picture shows the menu', async () => {
      const menu = `<style>body{margin:0} nav{width:100px;height:40px;background:#ccc} nav div{display:none;width:300px;height:300px;background:rgb(${COLOUR.green.join()})} nav:hover div{display:block}</style><nav><a href="/">Menu</a><div></div></nav>`;
      const picture = async (fields: object): Promise<unknown> => {
        const { body } = await capture(service.url, { html_content: menu, ...fields });
        return (await readPicture(body)).pixel(50, 100).slice(0, 3);
      };
      const actions = [{ type: 'hover', selector: 'nav' }];

      expect(await picture({})).toEqual(COLOUR.white);
      expect(await picture({ actions })).toEqual(COLOUR.green);
      expect(await picture({ actions, full_page: true })).toEqual(COLOUR.green);
      expect(await picture({ actions, is_mobile: true, has_touch: true })).toEqual(COLOUR.green);
    });

    it.each([
      [{ pixel_density: 2 }],
      [{ pixel_density: 0.5 }],
      [{ has_touch: true }],
      [{ is_mobile: true, window_width: 390, window_height: 800, pixel_density: 3 }],
      [{ full_page: true }],
      [{ run_ahead: 0 }],
      [{ media_type: 'print' }],
    ])('hit the target with %j', async (fields) => {
      const body = `<button style="position:absolute;left:700px;top:1300px;width:9px;height:9px;padding:0" onclick="report(event.offsetX < 9)"></button>`;

      expect(await eventsAfter(body, [{ type: 'click', selector: 'button' }], fields)).toBe('true;');
    });
  });

  describe('with the keyboard', () => {
    it('type key by key, and insert characters without a key as an input method does', async () => {
      const body = `<input id="name" value="Mr "><script>listen(document.getElementById('name'), 'focus', 'keydown', 'input', 'change', 'keyup')</script>`;
      const actions = [
        { type: 'type', selector: 'input', text: 'Z字' },
        { type: 'press', key: 'Tab' },
      ];

      expect(await eventsAfter(body, actions)).toBe(
        'focus true;keydown true;input true;keyup true;input true;keydown true;change true;',
      );
      expect(
        await eventsAfter(
          `${body}<script>addEventListener('change', (event) => report(event.target.value))</script>`,
          actions,
        ),
      ).toContain('Mr Z字;');
    });

    it.each([
      ['a field', '<input value="old">', 'new', 'oldnew'],
      ['an email field', '<input type="email" value="a@b.">', 'c', 'a@b.c'],
      ['a number field', '<input type="number" value="1">', '23', '123'],
      ['a password field', '<input type="password">', 'pä$$', 'pä$$'],
      ['a textarea', '<textarea>one\n</textarea>', 'two\nthree', 'one\ntwo\nthree'],
      ['an editable element', '<div class="field" contenteditable>old</div>', ' new', /^old(?: |&nbsp;|\u00a0)new$/],
      ['a field in its label', '<label>Name <input></label>', 'x', 'x'],
      ['a date field', '<input type="date">', '2026-11-22', '2026-11-22'],
      ['a time field', '<input type="time">', '09:30', '09:30'],
      ['a colour field', '<input type="color">', '#FF8000', '#ff8000'],
      ['a slider', '<input type="range" max="10">', '7', '7'],
      [
        'a field in a shadow tree',
        `<span id="host"></span><script>host.attachShadow({ mode: 'open' }).innerHTML = '<input oninput="report(this.value)">'</script>`,
        'x',
        'x',
      ],
    ])('type into %s', async (_what, tag, text, expected) => {
      const recorded = await eventsAfter(field(tag), [{ type: 'type', selector: 'input, textarea, .field', text }]);

      expect(recorded.split(';').at(-2)).toMatch(expected);
    });

    it.each([
      '<input value="old">',
      '<input type="number" value="7">',
      '<textarea>old\nolder</textarea>',
      '<div class="field" contenteditable>old<b>er</b></div>',
    ])('clear %s before typing', async (tag) => {
      const actions = [{ type: 'type', selector: 'input, textarea, .field', text: '42', clear: true }];

      expect((await eventsAfter(field(tag), actions)).split(';').at(-2)).toBe('42');
    });

    it('type the maximum length into the focused element', async () => {
      const text = 'abc '.repeat(2_500);
      const recorded = await eventsAfter(
        '<input autofocus><script>onkeydown = () => 0; setInterval(() => { reported.textContent = document.querySelector("input").value.length + ";" }, 50)</script>',
        [
          { type: 'type', text },
          { type: 'wait', milliseconds: 200 },
        ],
      );

      expect(recorded).toBe('10000;');
    });

    it('press keys: Escape closes, Tab moves on, Shift+Tab moves back, Control+A selects all', async () => {
      const body = `<dialog id="box"><p>Hello</p></dialog><input id="one" value="abc"><input id="two">
        <script>box.showModal(); box.onclose = () => report('closed'); one.onfocus = () => report('one'); two.onfocus = () => report('two'); one.oninput = () => report('value', one.value); onkeydown = (event) => { if (event.key === 'a') report('a', event.ctrlKey, event.code, event.keyCode); };</script>`;
      const keys = ['Escape', 'Tab', 'Tab', 'Shift+Tab', 'Control+A', 'Delete', '?', 'Space', 'x', 'Backspace'];

      const recorded = await eventsAfter(
        body,
        keys.map((key) => ({ type: 'press', key })),
      );

      expect(recorded).toBe('closed;one;two;one;a true KeyA 65;value ;value ?;value ? ;value ? x;value ? ;');
    });
  });

  describe('on forms', () => {
    const form = `<body onchange="report(event.target.selectedOptions ? [...event.target.selectedOptions].map((each) => each.value) : event.target.id + event.target.checked, event.isTrusted)">`;
    it.each([
      ['by value', '<select><option value="a">Ay<option value="b">Bee</select>', ['b'], 'b false;'],
      ['by label', '<select><option value="a">Ay<option value="b"> Bee </select>', ['Bee'], 'b false;'],
      ['several', '<select multiple><option selected>a<option>b<option>c</select>', ['b', 'c'], 'b,c false;'],
      [
        'that appear late',
        `<select></select><script>setTimeout(() => { document.querySelector('select').innerHTML = '<option>b' }, 4000)</script>`,
        ['b'],
        'b false;',
      ],
    ])('select options %s', async (_how, tag, values, recorded) => {
      expect(await eventsAfter(`${form}${tag}`, [{ type: 'select', selector: 'select', values }])).toBe(recorded);
    });

    it.each([
      ['a checkbox', '<input type="checkbox" id="it">', true, 'ittrue true;'],
      ['a checkbox to clear', '<input type="checkbox" id="it" checked>', false, 'itfalse true;'],
      ['a checkbox that is already checked', '<input type="checkbox" id="it" checked>', true, ''],
      [
        'a radio button',
        '<input type="radio" name="r" checked><input type="radio" name="r" id="it">',
        true,
        'ittrue true;',
      ],
      [
        'a checkbox behind its label',
        '<style>input{appearance:none;position:absolute;opacity:0;width:0;height:0}</style><input type="checkbox" id="it"><label for="it">Yes</label>',
        true,
        'ittrue true;',
      ],
      [
        'a hidden checkbox in its label',
        '<label>Yes <input type="checkbox" id="it" style="display:none"></label>',
        true,
        'ittrue true;',
      ],
      [
        'a switch',
        `<button id="it" role="switch" aria-checked="false" onclick="this.setAttribute('aria-checked', 'true'); report(1)">On</button>`,
        true,
        '1;',
      ],
    ])('check and uncheck %s', async (_what, tag, checked, recorded) => {
      expect(await eventsAfter(`${form}${tag}`, [{ type: 'check', selector: '#it', checked }])).toBe(recorded);
    });
  });

  describe('that scroll', () => {
    const lazy = `<script>addEventListener('scroll', () => report(Math.round(scrollX), Math.round(scrollY)))</script><div style="width:3000px;height:4000px"></div><div id="end"></div>`;
    it.each([
      [{ to: 'bottom' }, '0 3280;'],
      [{ x: 100, y: 200 }, '100 200;'],
      [{ y: 50 }, '0 50;'],
      [{ selector: '#end' }, '0 3280;'],
    ])('scroll to %j', async (goal, recorded) => {
      expect(await eventsAfter(`<style>body{margin:0}</style>${lazy}`, [{ type: 'scroll', ...goal }])).toBe(recorded);
    });

    it('scroll back to the top, and scroll the wheel target if the page itself does not scroll', async () => {
      const body = `<style>body{margin:0}</style><main style="overflow:auto;height:100vh" onscroll="report(this.scrollTop)"><p style="height:2000px"></main>`;
      const actions = [
        { type: 'scroll', y: 300 },
        { type: 'scroll', to: 'top' },
      ];

      expect(await eventsAfter(body, actions)).toBe('300;0;');
    });

    it('leave their effect in the picture', async () => {
      const body = `<style>body{margin:0}</style><div style="height:3000px"></div><div style="height:720px;background:rgb(${COLOUR.green.join()})">`;
      const { body: picture } = await capture(service.url, {
        html_content: body,
        actions: [{ type: 'scroll', to: 'bottom' }],
      });

      expect((await readPicture(picture)).pixel(600, 300).slice(0, 3)).toEqual(COLOUR.green);
    });
  });

  it('report the index of the action that failed', async () => {
    const actions = [
      { type: 'press', key: 'Tab' },
      { type: 'click', selector: '#buy' },
    ];

    expect(await failureOf('<p>', actions)).toEqual({
      status: 400,
      error_type: 'ActionFailedError',
      message: 'An action failed',
      error_details: 'actions[1] click: no element matches #buy',
    });
  });
});
