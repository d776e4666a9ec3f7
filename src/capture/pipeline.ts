import type { Page } from '../browser/page.ts';
import type { CaptureOptions } from './options.ts';
import type { StepContext } from './step.ts';
import { area, elementInView } from './steps/area.ts';
import { blocking } from './steps/blocking.ts';
import { lazyContent } from './steps/lazy-content.ts';
import { paintSources, pendingRequests } from './steps/readiness.ts';
import { viewport } from './steps/viewport.ts';
import { waits, waitsCheck } from './steps/waits.ts';

interface AnyStep {
  readonly name: string;
  readonly apply: (page: Page, options: CaptureOptions, context: StepContext) => Promise<void>;
}

/** On the blank page, in no particular order: they run at the same time. */
export const BEFORE_NAVIGATION: readonly AnyStep[] = [viewport, blocking, area, waitsCheck];

/** On the loaded page, one after the other: what the client waits for, then what a picture of the area needs. */
export const AFTER_LOAD: readonly AnyStep[] = [
  pendingRequests,
  waits,
  lazyContent,
  elementInView,
  paintSources,
];
