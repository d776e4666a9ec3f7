import { inject } from 'vitest';
import type { RunningService } from './service.ts';

/** The service that test files share. Tests leave no state in it, and never stop it or its browser. */
export type SharedService = Pick<RunningService, 'url'>;

/** Returns the service with default settings that all files of a run share; the first caller starts it. */
export async function sharedService(): Promise<SharedService> {
  const answer = await fetch(inject('sharedServiceStarter'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return { url: text };
}
