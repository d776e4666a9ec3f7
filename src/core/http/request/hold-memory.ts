import type { Response } from 'express';
import type { CaptureOptions } from '../../capture/request/options.ts';
import type { MemoryBudget } from '../../ground/memory-budget.ts';
import { noRoomForBody } from './byte-gatherer.ts';
import { contextOf } from './request-context.ts';

/**
 * Returns a function that reserves memory for one owner until the answer ends. It returns false if there is no room, or
 * the client has left.
 */
export function holdMemory(response: Response, budget: MemoryBudget, owner: string | undefined) {
  let held = 0;
  response.once('close', () => {
    budget.give(held, owner);
    held = 0;
  });
  return (bytes: number): boolean => {
    // no event would give the memory back
    if (response.destroyed || !budget.take(bytes, owner)) return false;
    held += bytes;
    return true;
  };
}

/**
 * Counts the memory of a page that is larger than its request: a template or Markdown makes 20 MB of 3 KB, and the page
 * is held while the capture waits.
 * @throws ServiceError OverloadedError
 */
export function holdPage(response: Response, { html_content: html }: CaptureOptions, budget: MemoryBudget): void {
  const { bodyBytes, client } = contextOf(response);
  const grown = (html?.length ?? 0) - bodyBytes;
  if (grown > 0 && !holdMemory(response, budget, client)(grown)) throw noRoomForBody();
}
