import type { CDPSession } from 'puppeteer';
import { expect, it } from 'vitest';
import { createPieceReader } from '../../../src/core/browser/page/read-in-pieces.ts';
import { gatherBytes } from '../../../src/core/browser/pipe/gather-bytes.ts';
import { fake } from '../../support/fake.ts';

// The memory of the tiles of a large picture was counted nowhere until it was encoded.
it('reserves the memory of all parts of a picture until the page is closed', async () => {
  const closed = new AbortController();
  let reserved = 0;
  const take = (): ReturnType<Parameters<typeof gatherBytes>[0]> => {
    reserved += 5;
    return { outcome: 'whole', bytes: Buffer.from('piece'), give: () => void (reserved -= 5) };
  };
  const room = { maxBytes: 5, take: () => true, give: () => undefined, addGarbage: () => undefined };
  const { sendForPart } = createPieceReader(
    fake<{ send: CDPSession['send'] }>({ send: async () => ({ data: '1' }) }).send,
    { takeBytes: () => Buffer.alloc(0), gatherBytes: (maxBytes) => gatherBytes(take, room, maxBytes) },
    { signal: closed.signal, clock: { hold: async () => () => undefined } },
  );

  const parts = [await sendForPart('Page.captureScreenshot', {}), await sendForPart('Page.captureScreenshot', {})];

  expect(parts.map(String)).toEqual(['piece', 'piece']);
  expect(reserved).toBe(10);
  closed.abort();
  expect(reserved).toBe(0);
});

it.each(['an end', 'an error'])('stops page time while a document is printed, until %s', async (end) => {
  const steps: string[] = [];
  const send = async (method: string): Promise<object> => {
    steps.push(method);
    if (end === 'an error') throw new Error('lost');
    return {};
  };
  const { printToPdf } = createPieceReader(
    fake<{ send: CDPSession['send'] }>({ send }).send,
    { takeBytes: () => Buffer.alloc(0), gatherBytes: fake({}) },
    {
      signal: new AbortController().signal,
      clock: {
        hold: async () => {
          steps.push('stop');
          return () => void steps.push('go on');
        },
      },
    },
  );

  await printToPdf({}).catch(() => undefined);

  expect(steps).toEqual(['stop', 'Page.printToPDF', 'go on']);
});
