// npm run bench -- gate [rounds] [captures] [clients]
// Measures the cost of the egress gate: the same captures in one browser, alternately with and without the gate. Pages
// made ahead and HTTP are left out, so only the gate differs.
import pino from 'pino';
import { createSocketOwner } from '../dist/core/browser/process/socket-owner.js';
import { openPage } from '../dist/core/browser/page/open-page.js';
import { captureOnPage } from '../dist/core/capture/capture-on-page.js';
import { createEncodeLimit } from '../dist/core/capture/formats/pictures/encode-limit.js';
import { parseOptions } from '../dist/core/capture/request/parse-options.js';
import { DEFAULT_WINDOW } from '../dist/core/steps/viewport.js';
import { createStopwatch } from '../dist/core/steps/common/stopwatch.js';
import { createDestinationPolicy } from '../dist/core/egress/destination.js';
import { createGate } from '../dist/core/egress/gate/gate.js';
import { createPeerCheck } from '../dist/core/egress/peers/peer-check.js';
import { createResolver } from '../dist/core/egress/resolver.js';
import { parseEgressRules } from '../dist/core/egress/rules.js';
import { CAPTURE_LIMIT_MS, JOBS } from './jobs.mjs';
import { measure } from './measure.mjs';
import { launchPlainBrowser } from './plain-browser.mjs';
import { runRound } from './round.mjs';
import { createBenchSite } from './site.mjs';

const [rounds = 8, captures = 30, clients = 4] = process.argv.slice(2).map(Number);
const log = pino({ level: 'silent' });
const encodeLimit = createEncodeLimit(2);
const site = await createBenchSite({ host: '0.0.0.0' });
const browser = await launchPlainBrowser();
const isOurs = await createPeerCheck(
  createSocketOwner(() => [browser.process().pid]),
  log,
);
const gates = await Promise.all(Array.from({ length: clients }, () => createGate(log, { isOurs })));
const openDestinations = createDestinationPolicy({
  allow: parseEgressRules('127.0.0.0/8'),
  deny: [],
  resolve: createResolver(),
  isOwnPort: () => false,
});

const connection = (await browser.target().createCDPSession()).connection();
await connection.send('Target.setAutoAttach', {
  autoAttach: false,
  waitForDebuggerOnStart: false,
  flatten: true,
});
const tree = { cpuMs: async () => 0 };
const results = await measure(
  [
    { label: 'with the gate', tree, run: runWith(connection) },
    { label: 'without', tree, run: runWith(withoutProxy(connection)) },
  ],
  ['plain', 'photographs'].map((job) => ({ job, title: JOBS[job].title, clients })),
  { captures, rounds, sitePort: new URL(site.origin).port, report: (line) => console.error(line) },
);
for (const { title, contenders } of results) {
  const [, { speedRatio }] = contenders;
  const range = `${speedRatio.min.toFixed(2)}-${speedRatio.max.toFixed(2)}`;
  console.log(`${title}: captures/s with the gate / without: ${speedRatio.median.toFixed(3)} (${range})`);
}
await browser.close();
await Promise.all([site.close(), ...gates.map((gate) => gate.close())]);

function runWith(usedConnection) {
  const tabs = {
    connection: usedConnection,
    pipe: { takeBytes: (data) => Buffer.from(data, 'base64'), countFor: () => () => undefined },
    ended: new AbortController().signal,
  };
  return ({ job, ...order }) =>
    runRound({
      ...order,
      path: JOBS[job].path,
      capture: async (url, client) => {
        const startedAt = performance.now();
        const gateSession = gates[client].open(openDestinations(), () => undefined);
        const page = await openPage(tabs, { gate: gates[client], window: DEFAULT_WINDOW });
        try {
          const { capture: options } = parseOptions({ url }, { maxWaitMs: CAPTURE_LIMIT_MS });
          const limits = { maxPixels: 1e8, maxResultBytes: 1e8, encodeLimit, lists: async () => undefined };
          const { file } = await captureOnPage(
            { page, gateSession, prepareOthers: () => undefined, release: () => undefined },
            options,
            { ...limits, stopwatch: createStopwatch(), endsAt: startedAt + CAPTURE_LIMIT_MS },
          );
          return { durationMs: performance.now() - startedAt, bytes: file.length };
        } finally {
          await page.close();
          gateSession.close();
        }
      },
    });
}

/** The same connection without the proxy of the contexts. */
function withoutProxy(real) {
  return new Proxy(real, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'send') return value.bind(target);
      return (method, params, options) => {
        if (method !== 'Target.createBrowserContext') return target.send(method, params, options);
        const { proxyServer: _server, proxyBypassList: _list, ...rest } = params;
        return target.send(method, rest, options);
      };
    },
  });
}
