import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JobResult } from '../../../src/parts/jobs/job.ts';
import type { JobStore, WebhookClaim } from '../../../src/parts/jobs/job-store.ts';
import { createSendWebhook } from '../../../src/parts/jobs/send-webhook.ts';
import type { Key } from '../../../src/core/access/key.ts';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { addressOfFileWebhook } from '../../../src/parts/webhooks/file-webhook.ts';
import type { WebhookMessage } from '../../../src/parts/webhooks/webhook.ts';
import { fake } from '../../support/fake.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';

const FILE = Buffer.alloc(1_000, 'x');
const HOOK = addressOfFileWebhook({
  url: 'http://a.test/',
  errorUrl: 'http://a.test/error',
  method: 'POST',
  errorMethod: 'POST',
  headers: {},
  statuses: {},
});

/** Makes one attempt for a job with a result. */
async function attempt({ stored = FILE, memoryBytes = 10_000, heldByOwner = 0, heldByOther = 0, hasKey = true } = {}) {
  const storage = createMemoryStorage();
  await storage.put('a.png', stored, 'image/png');
  const memory = createMemoryBudget(memoryBytes);
  memory.take(heldByOwner, 'shop');
  memory.take(heldByOther, 'other');
  const [messages, ends]: [WebhookMessage[], string[]] = [[], []];
  const send = createSendWebhook({
    store: fake<JobStore>({
      retryWebhook: async () => void ends.push('retried'),
      endWebhook: async () => void ends.push('ended'),
    }),
    storage,
    memory,
    keys: {
      isRequired: true,
      byId: (id) => (hasKey && id === 'shop' ? fake<Key>({ id, egressAllow: [] }) : undefined),
    },
    deliver: async (message) => {
      messages.push(message);
      return { kind: 'delivered' };
    },
    log: fake({ warn: () => undefined }),
  });
  const result = fake<JobResult>({
    path: 'a.png',
    bytes: FILE.length,
    sha256: hash('sha256', FILE, 'base64url'),
    contentType: 'image/png',
    format: 'png',
    delivery: { response_type: 'file', disposition: 'attachment', store: false },
  });
  const job = { id: 'a', owner: 'shop', state: 'done', createdAt: 0, attempts: 1, origin: '', result } as const;
  const claim: WebhookClaim = { id: 'a', owner: 'shop', token: 't', url: HOOK, attempts: 1, ageMs: 0, job };
  await send(claim, new AbortController().signal);
  return { messages, ends, usedBytes: memory.state().usedBytes - heldByOwner - heldByOther };
}

describe('a webhook with the file', () => {
  it('is delivered, and gives back its memory', async () => {
    const { messages, ends, usedBytes } = await attempt();

    expect([messages[0]?.body, ends, usedBytes]).toMatchObject([{ bytes: FILE }, ['ended'], 0]);
  });

  it.each([
    ['the storage has other bytes', { stored: Buffer.alloc(1_000, 'y') }],
    ['the storage has fewer bytes', { stored: Buffer.alloc(900, 'x') }],
    ['there is no memory', { heldByOther: 9_500 }],
    ['its owner holds its share of the memory', { heldByOwner: 7_000 }],
  ])('is sent later if %s', async (_why, world) => {
    const { messages, ends, usedBytes } = await attempt(world);

    expect([messages, ends, usedBytes]).toEqual([[], ['retried'], 0]);
  });

  it('is never sent by the rules of the service alone, after the key has ended', async () => {
    expect(await attempt({ hasKey: false })).toMatchObject({ messages: [], ends: ['ended'], usedBytes: 0 });
  });

  it('may be as large as the memory', async () => {
    expect((await attempt({ memoryBytes: FILE.length })).ends).toEqual(['ended']);
  });
});
