import type { CDPSession } from 'puppeteer';
import { expect, it } from 'vitest';
import { createEvaluate } from '../../../src/core/browser/page/evaluate.ts';
import { fake } from '../../support/fake.ts';

// A frame of the next page may have the context id of the last page, so the result came from a wrong document.
it('runs a function again if the page was replaced meanwhile', async () => {
  const contexts: number[] = [];
  const send = async (method: string, params: { readonly contextId?: number } = {}) => {
    if (method === 'Page.createIsolatedWorld') return { executionContextId: contexts.length + 1 };
    contexts.push(params.contextId ?? 0);
    if (contexts.length === 1) evaluation.enterWorld(); // the next page begins
    return { result: { value: contexts.length === 1 ? 'of a frame' : 'of the page' } };
  };
  const evaluation = createEvaluate(fake<{ readonly send: CDPSession['send'] }>({ send }).send, 'main');

  expect(await evaluation.evaluate(() => document.title)).toBe('of the page');
  expect(contexts).toEqual([1, 2]);
});
