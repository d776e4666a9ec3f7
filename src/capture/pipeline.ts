import type { Page } from '../browser/page/page.ts';
import type { CaptureOptions } from './request/options.ts';
import { extractCheck } from './parts/extract/extract-part.ts';
import type { StepContext } from '../steps/common/step.ts';
import type { Phase } from '../steps/common/stopwatch.ts';
import { actions, actionsCheck } from '../steps/actions/actions.ts';
import { blockByList, listStyles } from '../steps/blocking/by-list.ts';
import { cookieBannerCheck, cookieBanners, lateCookieBanners } from '../steps/consent/cookie-banners.ts';
import { appearanceCheck, styles } from '../steps/appearance.ts';
import { area } from '../steps/area.ts';
import { blockByHost } from '../steps/blocking/by-host.ts';
import { blockByRequest } from '../steps/blocking/by-request.ts';
import { hideBlocked } from '../steps/blocking/hide-blocked.ts';
import { blocking } from '../steps/blocking/blocking.ts';
import { cookies } from '../steps/cookies.ts';
import { customHeaders } from '../steps/custom-headers.ts';
import { customScript } from '../steps/custom-script.ts';
import { geolocation } from '../steps/geolocation.ts';
import { initScript, initScriptCheck } from '../steps/init-script.ts';
import { storageState } from '../steps/storage-state.ts';
import { httpAuth } from '../steps/http-auth.ts';
import { completeElement, completePage, elementAfterScroll } from '../steps/readiness/complete-area.ts';
import { expandContent } from '../steps/readiness/expand-content.ts';
import { media } from '../steps/media.ts';
import { keptDrawings, paper } from '../steps/readiness/paper.ts';
import { pendingRequests, readyToPaint } from '../steps/readiness/readiness.ts';
import { runAhead } from '../steps/readiness/run-ahead.ts';
import { certificates, httpStatus } from '../steps/tolerance.ts';
import { viewport } from '../steps/viewport.ts';
import { visitor } from '../steps/visitor.ts';
import { earlySignal, element, delayCapture, quietNetwork, readySignal, waitsCheck } from '../steps/waits.ts';

interface AnyStep {
  readonly name: string;
  readonly phase?: Phase;
  readonly boundsItself?: boolean;
  readonly apply: (page: Page, options: CaptureOptions, context: StepContext) => Promise<void>;
}

/** Steps before navigation. They run concurrently. */
export const BEFORE_NAVIGATION: readonly AnyStep[] = [
  viewport,
  media,
  visitor,
  blocking,
  blockByHost,
  blockByRequest,
  blockByList,
  customHeaders,
  httpAuth,
  geolocation,
  cookies,
  storageState,
  initScript,
  certificates,
  area,
  extractCheck,
  waitsCheck,
  actionsCheck,
  appearanceCheck,
  keptDrawings,
];

/** Steps after load, one after the other: the waits of the client, then what the picture needs. */
const AFTER_LOAD: readonly AnyStep[] = [
  httpStatus,
  initScriptCheck,
  styles,
  listStyles,
  cookieBanners,
  actions,
  customScript,
  earlySignal,
  pendingRequests,
  hideBlocked, // runs before scrolling, so that the remaining page is scrolled
  runAhead,
  lateCookieBanners,
  element,
  quietNetwork,
  expandContent,
  completePage,
  readySignal,
  completeElement,
  elementAfterScroll,
  delayCapture,
  lateCookieBanners,
  paper,
  // Runs again, because the page may have navigated or added frames.
  httpStatus,
  styles,
  listStyles,
  hideBlocked,
  readyToPaint,
  hideBlocked, // requests that started since the first pass
  cookieBannerCheck,
];

/** What the request does to the page itself. It may be the cause of the next document. */
const ONCE: readonly AnyStep[] = [actions, customScript, delayCapture];

/** Returns the steps for the first document of a capture, or for one that has replaced it since. */
export function stepsAfterLoad(isFirst: boolean): readonly AnyStep[] {
  return isFirst ? AFTER_LOAD : AFTER_LOAD.filter((step) => !ONCE.includes(step));
}
