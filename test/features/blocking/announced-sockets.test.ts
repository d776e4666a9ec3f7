import { EventEmitter } from 'node:events';
import type { CDPSession } from 'puppeteer';
import { expect, it } from 'vitest';
import type { Page } from '../../../src/core/browser/page/page.ts';
import { announcedSockets } from '../../../src/features/blocking/announced-sockets.ts';
import { fake } from '../../support/fake.ts';

// After 1,000 sockets that the page's own rules had blocked, no later one was known.
it('knows a socket after thousands that never connect', async () => {
  const session = new EventEmitter();
  const page = fake<Page>({
    followSessions: (listen: (session: CDPSession) => void) => {
      listen(fake<CDPSession>(session));
    },
  });
  const addressOf = announcedSockets(page);
  for (let index = 0; index < 3_000; index++)
    session.emit('Network.webSocketCreated', { url: `ws://blocked.example/${index}` });
  session.emit('Network.webSocketCreated', { url: 'ws://open.example/a' });

  expect(await addressOf('open.example', 80)).toBe('ws://open.example/a');
});
