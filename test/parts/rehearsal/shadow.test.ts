import { describe, expect, it, vi } from 'vitest';
import type { Capture, CaptureAnswer } from '../../../src/core/capture/capture.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import type { Logger } from '../../../src/core/ground/log.ts';
import type { DocumentTools } from '../../../src/parts/rehearsal/compare-documents.ts';
import { createShadow, type ShadowOutcome } from '../../../src/parts/rehearsal/shadow.ts';
import { fake } from '../../support/fake.ts';

const answerOf = (text: string): CaptureAnswer =>
  fake<CaptureAnswer>({ file: Buffer.from(text), parts: new Map(), facts: fake({ warnings: [] }) });

function shadowWith(next: Capture, share = 1, again = 'one') {
  const outcomes: ShadowOutcome[] = [];
  const warn = vi.fn<Logger['warn']>();
  const log = fake<Logger>({ warn });
  const shadow = createShadow({
    capture: next,
    captureAgain: async () => answerOf(again),
    share,
    tools: fake<DocumentTools>({}),
    record: (outcome) => void outcomes.push(outcome),
    log,
    random: () => 0.5,
  });
  const make = async (fields: object, text = 'one'): Promise<CaptureAnswer> => {
    const { capture } = parseOptions({ html_content: '<p>', format: 'markdown', ...fields }, { maxWaitMs: 60_000 });
    return await shadow.wrap(async () => answerOf(text))(capture, { signal: AbortSignal.timeout(5_000), log });
  };
  return { make, outcomes, warn, stop: shadow.stop };
}

describe('a shadow', () => {
  it.each([
    ['same', ['one']],
    ['moved', ['second', 'second']],
    ['varies', ['second', 'one']],
  ] as const)('records %s for the results %j', async (outcome, texts) => {
    const results = texts.values();
    const { make, outcomes, warn } = shadowWith(async () => answerOf(results.next().value ?? ''));

    expect((await make({})).file.toString()).toBe('one');

    await vi.waitFor(() => expect(outcomes).toEqual([outcome]));
    expect(warn).toHaveBeenCalledTimes(outcome === 'moved' ? 1 : 0);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('second'); // no text of the page
  });

  it('records a capture that fails, without its text', async () => {
    const { make, outcomes, warn } = shadowWith(async () => {
      throw new ServiceError('TimeoutError');
    });
    await make({});
    await vi.waitFor(() => expect(outcomes).toEqual(['failed']));
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ error: 'TimeoutError' }), expect.any(String));
  });

  it.each([
    { actions: [{ type: 'click', selector: 'a' }] },
    { custom_js: '1' },
    { init_script: '1' },
    { wait_for_function: '1' },
    { format: 'mhtml' },
    { format: 'pdf', pdf_password: 'secret' },
    { format: 'png', selector: 'p', selector_each: true },
  ])('does not repeat %j', async (fields) => {
    const next = vi.fn<Capture>();
    const { make, stop } = shadowWith(next);
    await make(fields);
    await stop();
    expect(next).not.toHaveBeenCalled();
  });

  it('makes only its share', async () => {
    const next = vi.fn<Capture>();
    const { make, stop } = shadowWith(next, 0.4);
    await make({});
    await stop();
    expect(next).not.toHaveBeenCalled();
  });

  it('skips what would wait too long, delays no client, and ends with the service', async () => {
    const { promise, resolve } = Promise.withResolvers<CaptureAnswer>();
    const { make, outcomes, stop } = shadowWith(async () => await promise);
    for (let count = 0; count < 13; count++) await make({});
    expect(outcomes).toEqual(['skipped', 'skipped']);
    const stopped = stop();
    resolve(answerOf('one'));
    await stopped;
    expect(outcomes).toHaveLength(3); // the one that was running
  });
});
