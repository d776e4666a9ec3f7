import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../support/settings.ts';
import { LIMIT_MS as ms } from '../../../src/core/ground/time-limits.ts';

describe('the time limits of a capture', () => {
  it.each<[string, number, keyof typeof ms]>([
    ['a grant and its workers', ms.grantInFrame + ms.worker, 'stuck'],
    ['the first frame and one request', ms.frame + ms.requestAhead, 'runAhead'],
    ['a video that is rewound, twice', 2 * ms.videoFrame, 'still'],
    [
      'running ahead and requests in flight afterwards',
      ms.requests + ms.runAhead + ms.stuck + ms.betweenTasks + ms.requestAhead,
      'step',
    ],
    ['scrolling and requests in flight afterwards', ms.scroll + ms.frame + ms.requests, 'step'],
    ['a page that draws for its paper', 5 * ms.frame + ms.paper + ms.requestAhead + ms.requests, 'step'],
    ['two checks before the picture', 2 * (ms.frame + ms.paint + ms.still) + ms.requests, 'step'],
    ['a script that waits for the clock', ms.stuckAtPace + ms.betweenTasks, 'step'],
    ['cookie banners and requests in flight afterwards', 2 * ms.bannerLook + 3 * ms.banner + ms.bannerRequests, 'step'],
    ['a document that may never be rendered', ms.renderRestless, 'render'],
    ['markdown, and plain text for oversized pages', 2 * ms.convert, 'render'],
    ['a picture', ms.render, 'protocolCall'],
  ])('satisfy %s', (_what, parts, whole) => {
    expect(parts).toBeLessThanOrEqual(ms[whole]);
  });

  it('are declared in ascending order', () => {
    const limits = Object.values(ms);

    expect(limits).toEqual(limits.toSorted((a, b) => a - b));
  });

  it('fit into a request: page load, a step and rendering', () => {
    const { captureTimeoutMs } = loadConfig({});

    expect(ms.step + ms.render).toBeLessThanOrEqual(captureTimeoutMs);
  });
});
