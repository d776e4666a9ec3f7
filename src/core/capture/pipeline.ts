import type { AnyStep, StepPlace } from '../feature.ts';
import { type CaptureOptions, features } from './request/options.ts';
import { appearanceCheck, styles } from '../steps/appearance.ts';
import { area } from '../steps/area.ts';
import { cookies } from '../steps/cookies.ts';
import { customHeaders } from '../steps/custom-headers.ts';
import { customScript } from '../steps/custom-script.ts';
import { geolocation } from '../steps/geolocation.ts';
import { initScript, initScriptCheck } from '../steps/init-script.ts';
import { storageState } from '../steps/storage-state.ts';
import { httpAuth } from '../steps/http-auth.ts';
import { completeElement, completePage, elementAfterScroll } from '../steps/readiness/complete-area.ts';
import { firstInteraction } from '../steps/readiness/first-interaction.ts';
import { expandContent } from '../steps/readiness/expand-content.ts';
import { media } from '../steps/media.ts';
import { keptDrawings, paper } from '../steps/readiness/paper.ts';
import { pendingRequests, readyToPaint } from '../steps/readiness/readiness.ts';
import { runAhead } from '../steps/readiness/run-ahead.ts';
import { certificates, httpStatus } from '../steps/tolerance.ts';
import { viewport } from '../steps/viewport.ts';
import { visitor } from '../steps/visitor.ts';
import { earlySignal, element, delayCapture, quietNetwork, readySignal, waitsCheck } from '../steps/waits.ts';

type Step = AnyStep<CaptureOptions>;

/** Returns the steps of all features at this place. */
function stepsAt(place: StepPlace): readonly Step[] {
  return features.flatMap(({ after }) => after?.[place] ?? []);
}

/** Steps before navigation. They run concurrently. Those of features are first, so their scripts run before ours. */
export const BEFORE_NAVIGATION: readonly Step[] = [
  ...features.flatMap(({ before = [] }) => before),
  viewport,
  media,
  visitor,
  customHeaders,
  httpAuth,
  geolocation,
  cookies,
  storageState,
  initScript,
  certificates,
  area,
  waitsCheck,
  appearanceCheck,
  keptDrawings,
];

/** Steps after load, one after the other: the waits of the client, then what the picture needs. */
const AFTER_LOAD: readonly Step[] = [
  httpStatus,
  initScriptCheck,
  styles,
  firstInteraction,
  ...stepsAt('loaded'),
  customScript,
  earlySignal,
  pendingRequests,
  ...stepsAt('silent'),
  runAhead,
  ...stepsAt('ahead'),
  element,
  quietNetwork,
  expandContent,
  completePage,
  readySignal,
  completeElement,
  elementAfterScroll,
  delayCapture,
  ...stepsAt('delayed'),
  paper,
  // Runs again, because the page may have navigated or added frames.
  httpStatus,
  styles,
  ...stepsAt('laid out'),
  readyToPaint,
  ...stepsAt('painted'),
];

/** What the request does to the page itself. It may be the cause of the next document. */
const ONCE: readonly Step[] = [customScript, delayCapture, ...features.flatMap(({ once = [] }) => once)];

/** Returns the steps for the first document of a capture, or for one that has replaced it since. */
export function stepsAfterLoad(isFirst: boolean): readonly Step[] {
  return isFirst ? AFTER_LOAD : AFTER_LOAD.filter((step) => !ONCE.includes(step));
}
