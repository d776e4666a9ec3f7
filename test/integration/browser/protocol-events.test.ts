import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LaunchedBrowser } from '../../../src/core/browser/process/launch.ts';
import { RECEIVED_EVENTS, READ_LIMITS } from '../../../src/core/browser/pipe/received-events.ts';
import { openPage } from '../../../src/core/browser/page/open-page.ts';
import type { Page } from '../../../src/core/browser/page/page.ts';
import { DEFAULT_WINDOW } from '../../../src/core/steps/viewport.ts';
import { createDestinationPolicy } from '../../../src/core/egress/destination.ts';
import { createGate, type Gate } from '../../../src/core/egress/gate/gate.ts';
import { createResolver } from '../../../src/core/egress/resolver.ts';
import { parseEgressRules } from '../../../src/core/egress/rules.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { acceptSocket } from '../../fidelity/pages/accept-socket.ts';
import { describeEvents, EVENT_ROWS, type EventRow } from '../../hostile/protocol-events.ts';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type Routes, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { launchUsualBrowser } from '../../support/usual-browser.ts';

const noTab = async (): Promise<never> => {
  throw new Error('no tab is opened beside the page');
};

const SOURCE = join(import.meta.dirname, '../../../src');
const TABLE = join(import.meta.dirname, '../../hostile/REPORT.md');
const TOOLS = `<script>
  const LONG = 'n'.repeat(3_000_000);
  const ADDRESS = 'u'.repeat(1_900_000);
  const addFrame = (values) => {
    const frame = Object.assign(document.createElement('iframe'), values);
    document.documentElement.append(frame);
    return frame;
  };
  const removeSoon = () => addEventListener('load', () => setTimeout(() => document.querySelector('iframe').remove(), 300));
</script>`;

describe('the protocol events that the service subscribes to', () => {
  const log = createLog({ level: 'silent', format: 'json' });
  let site: FixtureSite;
  let gate: Gate;
  let browser: LaunchedBrowser;
  beforeAll(async () => {
    [site, gate, browser] = await Promise.all([
      createFixtureSite({ moreRoutes: routes() }),
      createGate(log),
      launchUsualBrowser(log),
    ]);
  });
  afterAll(() => Promise.all([browser.close(), gate.close(), site.close()]));

  it('are all in the table and in the documentation', () => {
    const listened = globSync('**/*.ts', { cwd: SOURCE }).flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8');
      return [...text.matchAll(/\.(?:on|once)\(\s*'([A-Z]\w+\.\w+)'/g)].map(([, event = '']) => event);
    });
    const rows = EVENT_ROWS.map(({ event }) => event);

    expect(listened.filter((event) => !RECEIVED_EVENTS.has(event))).toEqual([]); // such an event would never arrive
    expect(rows.toSorted()).toEqual([...RECEIVED_EVENTS].toSorted());
    expect(readFileSync(TABLE, 'utf8')).toContain(describeEvents());
  });

  it.each(EVENT_ROWS)('stay below the message limit at the largest $event', async (row) => {
    await using given = await open();
    const lengths = listen(given.page, row.event);

    await go(given.page, row);

    await eventually(() => expect(Math.max(0, ...lengths())).toBeGreaterThan(row.least ?? 0));
    expect(Math.max(...lengths())).toBeLessThan(READ_LIMITS.event.messageBytes);
    expect(given.page.signal.aborted).toBe(row.event === 'Inspector.targetCrashed');
  });

  it('never include request bodies: they are omitted at the source', async () => {
    await using given = await open();
    const lengths = listen(given.page, 'Network.requestWillBeSent');

    await go(given.page, {
      event: 'body',
      largest: '',
      script: "fetch('/empty', { method: 'POST', body: LONG });",
    });

    await eventually(() => expect(lengths().length).toBeGreaterThan(1));
    expect(Math.max(...lengths())).toBeLessThan(5_000);
  });

  async function open(): Promise<AsyncDisposable & { readonly page: Page }> {
    const destinations = createDestinationPolicy({
      allow: parseEgressRules('127.0.0.0/8,localhost'),
      deny: [],
      resolve: createResolver(),
      isOwnPort: () => false,
    });
    const gateSession = gate.open(destinations(), () => undefined);
    const page = await openPage({ ...browser, openTabBeside: noTab }, { gate, window: DEFAULT_WINDOW });
    return {
      page,
      [Symbol.asyncDispose]: async () => {
        await page.close();
        gateSession.close();
      },
    };
  }

  /** Returns the length of each such event as JSON, in characters. */
  function listen(page: Page, event: string): () => readonly number[] {
    const lengths: number[] = [];
    for (const emitter of [page.session, browser.connection]) {
      const on: unknown = Reflect.get(emitter, 'on');
      if (typeof on !== 'function') throw new TypeError('Puppeteer listens in another way now');
      Reflect.apply(on, emitter, [event, (payload: unknown) => lengths.push(JSON.stringify(payload ?? {}).length)]);
    }
    return () => lengths;
  }

  async function go(page: Page, { event, isHeld = false }: EventRow): Promise<void> {
    if (isHeld) await page.intercept({ patterns: [{ urlPattern: '*' }], onChallenge: () => undefined });
    if (event === 'Console.messageAdded') await page.send('Console.enable');
    if (event === 'Log.entryAdded') await page.send('Log.enable');
    const changes = listen(page, 'Target.targetInfoChanged');
    const loading = page.send('Page.navigate', { url: site.url(`/events/${event}`) });
    await loading;
    // the call gets no answer
    if (event === 'Inspector.targetCrashed') page.session.send('Page.crash').catch(() => undefined);
    if (event === 'Emulation.virtualTimeBudgetExpired')
      await page.send('Emulation.setVirtualTimePolicy', { policy: 'advance', budget: 10 });
    if (!/^Target.(at|de)tached/.test(event)) return;
    // As for a frame in a process of its own, which not every browser has.
    await eventually(() => {
      if (event === 'Target.attachedToTarget' && Math.max(0, ...changes()) < 60_000)
        throw new Error('The address is not there yet');
    });
    const session = await browser.connection.createSession({
      targetId: page.mainFrameId,
      type: 'page',
      title: '',
      url: '',
      attached: true,
      canAccessOpener: false,
    });
    await session.detach();
  }
});

function routes(): Routes {
  const body: EventRow = {
    event: 'body',
    largest: '',
    script: "fetch('/empty', { method: 'POST', body: LONG });",
  };
  return {
    '/events/*': ({ rest, response, crossSiteOrigin }) => {
      const row = [...EVENT_ROWS, body].find(({ event }) => event === rest.replace('~inner', ''));
      const markup = `${TOOLS}${row?.body ?? ''}<script>${row?.script ?? ''}</script>`;
      sendHtml(
        response,
        toDocument({
          body: markup
            .replaceAll('OTHER', crossSiteOrigin)
            .replace(rest.includes('~inner') ? /<iframe.*<.iframe>/ : '', ''),
        }),
      );
    },
    '/empty': ({ response }) => {
      sendHtml(response, '');
    },
    '/ending': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('close();');
    },
    '/worker': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('');
    },
    '/event-stream': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${'d'.repeat(3_000_000)}\n\n`);
    },
    '/socket': ({ request }) => {
      acceptSocket(request);
      // RFC 6455, 5.2: text, with its length in eight bytes
      const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 3, 0, 0]);
      request.socket.write(Buffer.concat([head, Buffer.alloc(head.readUIntBE(4, 6), 'm')]));
    },
    '/kept': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/css', 'cache-control': 'max-age=60' }).end('p {}');
    },
    '/long': ({ response }) => {
      response.writeHead(200, { 'access-control-allow-origin': 'a'.repeat(200_000) }).end();
    },
    '/password': ({ response }) => {
      response.writeHead(401, { 'www-authenticate': `Basic realm="${'r'.repeat(200_000)}"` }).end();
    },
  };
}
