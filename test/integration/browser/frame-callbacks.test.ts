import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COLOUR } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { countedPath, REQUESTED, type Requested } from '../../support/pages/counted.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** Inspects functions of a page and of an inner frame in every way that distinguishes native functions from others. */
const COMPARE = `
  const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;
  const message = (run) => { try { run(); return 'nothing'; } catch (error) { return error.message; } };
  const lines = (run) => { try { run(); return 0; } catch (error) { return error.stack.split('\\n').length; } };
  const text = Function.prototype.toString;
  const look = (owner, name) => {
    const f = owner[name];
    const { value, ...flags } = Object.getOwnPropertyDescriptor(owner, name);
    return [f.toString(), text.call(f), frame.Function.prototype.toString.call(f), String(f), f.name, f.length, flags,
      Object.getOwnPropertyNames(f), Object.getOwnPropertySymbols(f), Object.getOwnPropertyDescriptors(f), 'prototype' in f,
      Object.getPrototypeOf(f) === owner.Function?.prototype, Object.prototype.toString.call(f), message(() => new f()),
      message(() => f.caller)];
  };`;

function renamed(checks: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(checks).replaceAll(from, to));
}

describe('frame callbacks while page time runs ahead', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const colourOf = async (url: string): Promise<readonly number[]> => {
    const { status, body } = await capture(service.url, { url });
    expect({ status, text: status === 200 ? '' : body.toString() }).toEqual({ status: 200, text: '' });
    return (await readPicture(body)).pixel(600, 400).slice(0, 3);
  };
  /** Returns `result`, which a script has set, as JSON. */
  const resultOf = async (script: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const html_content = `<body><script>const result = [];${script}
      const show = () => { document.documentElement.dataset.result = encodeURIComponent(JSON.stringify(result)); };
      show(); setInterval(show, 10);</script>`;
    const { status, body } = await capture(service.url, { html_content, format: 'html', ...fields });
    expect(status).toBe(200);
    return JSON.parse(decodeURIComponent(/data-result="([^"]*)"/.exec(body.toString())?.[1] ?? 'null'));
  };

  const COUNTS = [60, 200, 300];
  const ways = Object.keys(REQUESTED).filter((name): name is Requested => name in REQUESTED);

  it.each(COUNTS.map((frames) => [frames]))('run an animation of %i frames to its end', async (frames) => {
    expect(await colourOf(site.url(countedPath(frames)))).toEqual(COLOUR.green);
  });

  it.each(ways)('run an animation to its end that requests its frames by %s', async (way) => {
    expect(await colourOf(site.url(countedPath(200, way)))).toEqual(COLOUR.green);
  });

  it.each(['same-origin', 'data', 'sandbox', 'another-site'])('run in an inner frame: %s', async (origin) => {
    expect(await colourOf(site.url(`/counted/in/${origin}`))).toEqual(COLOUR.green);
  });

  it('run in an inner frame that the page adds while its time runs ahead', async () => {
    const inner = `let n = 0; const step = () => { parent.count(++n); requestAnimationFrame(step); }; requestAnimationFrame(step);`;
    const result = await resultOf(`window.count = (n) => { result[0] = n; };
      setTimeout(() => { const frame = document.createElement('iframe'); frame.srcdoc = '<script>${inner}</' + 'script>'; document.body.append(frame); }, 500);`);

    expect(z.tuple([z.number()]).parse(result)[0]).toBeGreaterThan(100);
  });

  it('have timestamps of page time: equal within one frame, monotonic, and consistent with every clock', async () => {
    const result = await resultOf(`let n = 0, started;
      const step = (time) => {
        started ??= time;
        const row = [time, performance.now(), document.timeline.currentTime];
        requestAnimationFrame((next) => { row.push(next); });
        requestAnimationFrame((next) => { row.push(next); if (++n < 100) step(next); });
        result.push(row);
      };
      setTimeout(() => requestAnimationFrame(step), 400);`);
    const rows = z.array(z.array(z.number()).length(5)).parse(result);

    expect(rows.length).toBe(100);
    for (const [time = 0, now = 0, timeline = 0, next = 0, sameNext] of rows) {
      expect(next).toBe(sameNext);
      expect(next).toBeGreaterThan(time);
      expect(Math.abs(now - time)).toBeLessThan(50);
      expect(Math.abs(timeline - now)).toBeLessThan(1_000);
    }
  });

  it('report their errors to the page, and the next callback runs', async () => {
    const result = await resultOf(`
      window.onerror = (message, _file, line, _column, error) => { result.push([message, line > 0, error.stack.split('\\n').length]); };
      const bad = () => { throw new Error('of a frame'); };
      const both = () => { requestAnimationFrame(bad); requestAnimationFrame(() => result.push('next')); };
      both();
      setTimeout(both, 500);`);

    const reported = ['Uncaught Error: of a frame', true, 2];
    expect(result).toEqual([reported, 'next', reported, 'next']);
  });

  it('can be cancelled while pending, by another callback of their frame, and after they have run', async () => {
    const result = await resultOf(`
      const all = () => {
        cancelAnimationFrame(requestAnimationFrame(() => result.push('cancelled at once')));
        let second;
        const first = requestAnimationFrame(() => { cancelAnimationFrame(second); result.push('first'); });
        second = requestAnimationFrame(() => result.push('second'));
        requestAnimationFrame(() => { cancelAnimationFrame(first); cancelAnimationFrame(String(first)); requestAnimationFrame(() => result.push('last')); });
        cancelAnimationFrame(12345); cancelAnimationFrame(undefined);
      };
      all();
      setTimeout(all, 500);`);

    expect(result).toEqual(['first', 'last', 'first', 'last']);
  });

  it('run the microtasks of one callback before the next, with a timestamp as the only argument', async () => {
    const result = await resultOf(`setTimeout(() => {
      requestAnimationFrame(function (...args) { result.push([args.length, typeof args[0], this === window]); Promise.resolve().then(() => 0).then(() => result.push('microtask')); });
      requestAnimationFrame(() => result.push('next'));
    }, 500);`);

    expect(result).toEqual([[1, 'number', true], 'microtask', 'next']);
  });

  it.each([20, 50])('run less often if one takes long: a canvas with %i ms per draw', async (drawMs) => {
    const { status, body } = await capture(service.url, {
      html_content: `<canvas></canvas><script>
        const pen = document.querySelector('canvas').getContext('2d');
        // Native code: a busy machine compiles a loop only after it was measured, and then it is much faster.
        const numbers = Float64Array.from({ length: 10_000 }, (_, k) => (k * 7_919) % 10_007);
        const work = (turns) => { for (let k = 0; k < turns; k++) numbers.slice().sort(); };
        let fastest = 1e9;
        for (let k = 0; k < 40; k++) { const began = performance.now(); work(1); fastest = Math.min(fastest, performance.now() - began); }
        const turns = ${drawMs} / Math.max(fastest, 0.1);
        let draws = 0, first = performance.now();
        const draw = () => { work(turns); pen.fillStyle = 'rgb(0 0 ' + draws % 256 + ')'; pen.fillRect(0, 0, 99, 99); const now = performance.now(); document.title = 'rate: ' + ++draws / (now - first + 500) + ' until: ' + now; requestAnimationFrame(draw); };
        draw();</script>`,
      format: 'html',
    });
    const [, drawsPerMs, untilMs] = /rate: ([\d.]+) until: ([\d.]+)/.exec(body.toString()) ?? [];

    expect(status).toBe(200);
    expect(Number(drawsPerMs)).toBeGreaterThan(0);
    expect(Number(drawsPerMs)).toBeLessThan(0.07); // 0.125 for fast callbacks
    expect(Number(untilMs)).toBeGreaterThan(2_000); // of 2,500 ms of page time
  });

  it('follow the real clock if time does not run ahead', async () => {
    const script = `let n = 0, began; const step = () => { began ??= performance.now(); result[0] = ++n / (performance.now() - began + 1_000); requestAnimationFrame(step); }; step();`;
    const result = await resultOf(script, { run_ahead: 0, delay_capture: 1_500 });

    expect(z.tuple([z.number()]).parse(result)[0]).toBeLessThan(0.07); // per millisecond
  });

  // Without it, seconds of painting queued up for each frame, and all pages of the browser waited for them.
  it.each(['webgl', 'webgl2'])('wait for what %s has drawn, which the page does not notice', async (type) => {
    const result = await resultOf(`
      const gl = document.body.appendChild(document.createElement('canvas')).getContext('${type}');
      const target = gl.createFramebuffer(), texture = gl.createTexture(), pixel = new Uint8Array(4);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      const buffer = gl.PIXEL_PACK_BUFFER && gl.createBuffer();
      if (buffer) { gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer); gl.bufferData(gl.PIXEL_PACK_BUFFER, 4, gl.STREAM_READ); }
      let frames = 0;
      const step = () => {
        gl.clearColor(1, frames % 2, 0, 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        if (++frames < 100) return requestAnimationFrame(step);
        const isPacked = !buffer || gl.getParameter(gl.PIXEL_PACK_BUFFER_BINDING) === buffer;
        result.push(frames, gl.getParameter(gl.FRAMEBUFFER_BINDING) === target, isPacked, gl.getError());
      };
      setTimeout(step, 400);`);

    expect(result).toEqual([100, true, true, 0]);
  });

  it('hide the wrapper: the functions look native', async () => {
    const seen = z.record(z.string(), z.array(z.unknown())).parse(
      z.tuple([z.unknown()]).parse(
        await resultOf(`${COMPARE}
          result.push({ own: look(window, 'requestAnimationFrame'), cancel: look(window, 'cancelAnimationFrame'), native: look(window, 'requestIdleCallback'),
            observe: look(ResizeObserver.prototype, 'observe'), unobserve: look(ResizeObserver.prototype, 'unobserve'),
            observeInView: look(IntersectionObserver.prototype, 'observe'), matchMedia: look(window, 'matchMedia'), getComputedStyle: look(window, 'getComputedStyle'),
            interval: look(window, 'setInterval'), timeout: look(window, 'setTimeout'),
            getContext: look(HTMLCanvasElement.prototype, 'getContext'), toBlob: look(HTMLCanvasElement.prototype, 'toBlob'),
            inner: look(frame, 'requestAnimationFrame'), text: look(Function.prototype, 'toString').slice(0, 13), nativeText: look(Object.prototype, 'toString').slice(0, 13),
            errors: [message(() => requestAnimationFrame()), message(() => requestAnimationFrame(5)), message(() => requestAnimationFrame.call({}, () => 0)),
              lines(() => requestAnimationFrame()) - lines(() => requestIdleCallback()), message(() => cancelAnimationFrame()), message(() => text.call({})), Object.getOwnPropertySymbols(window).length] });`),
      )[0],
    );

    expect(seen['own']).toEqual(renamed(seen['native'], 'requestIdleCallback', 'requestAnimationFrame'));
    expect(seen['inner']).toEqual(seen['own']);
    expect(seen['cancel']).toEqual(renamed(seen['own'], 'requestAnimationFrame', 'cancelAnimationFrame'));
    expect(seen['observe']).toEqual(renamed(seen['unobserve'], 'unobserve', 'observe'));
    expect(seen['observeInView']).toEqual(seen['observe']);
    expect(seen['matchMedia']).toEqual(renamed(seen['getComputedStyle'], 'getComputedStyle', 'matchMedia'));
    expect(seen['interval']).toEqual(renamed(seen['timeout'], 'setTimeout', 'setInterval'));
    expect(seen['getContext']).toEqual(renamed(seen['toBlob'], 'toBlob', 'getContext'));
    expect(seen['text']).toEqual(seen['nativeText']);
    expect(seen['errors']).toEqual([
      "Failed to execute 'requestAnimationFrame' on 'Window': 1 argument required, but only 0 present.",
      "Failed to execute 'requestAnimationFrame' on 'Window': parameter 1 is not of type 'Function'.",
      'Illegal invocation',
      0,
      "Failed to execute 'cancelAnimationFrame' on 'Window': 1 argument required, but only 0 present.",
      "Function.prototype.toString requires that 'this' be a Function",
      0,
    ]);
  });
});
