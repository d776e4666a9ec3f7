import { setPriority } from 'node:os';
import { findProcesses } from '../../core/browser/process/process-table.ts';
import type { Part } from '../../core/part.ts';
import { BACKGROUND } from '../../core/queue/fair-share.ts';
import { createPdfReader } from '../../features/pdf-reader/pdf-reader.ts';
import type { CompareState } from '../compare/compare.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { RehearsalSettings } from './rehearsal-settings.ts';
import { createShadow } from './shadow.ts';

/** The lowest priority: under load, the other browser gets a hundredth of the time of the present one. */
const LOWEST_PRIORITY = 19;
const CLIENT = 'browser-next';
const THRESHOLD = 0.01;

/** Tries another browser on a share of the captures. Does nothing without BROWSER_NEXT. */
export const REHEARSAL: Part<CompareState & MetricsState & { readonly config: RehearsalSettings }, object> = {
  open: async ({ capture: captureAgain, compare, config, lifecycle, log, metrics, openBrowser }) => {
    const { browserNext: executable, browserNextShare: share } = config;
    if (executable === undefined || share === 0) return { state: {} };
    const other = await openBrowser(executable).catch((error: unknown) => {
      log.error({ err: error, executable }, 'BROWSER_NEXT can not be used: no capture is made with it');
    });
    if (other === undefined) return { state: {} };
    const { host, capture } = other;
    const lower = (): void => host.groups().forEach(lowerPriority);
    host.onReplaced(lower);
    const reader = createPdfReader();
    lifecycle.onClose({ name: 'the reader of documents', timeoutMs: 1_000, close: reader.close });
    const ending = new AbortController();
    const shadow = createShadow({
      capture: async (options, context) => await capture(options, { ...context, client: CLIENT }),
      captureAgain: async (options, context) =>
        await captureAgain(options, { ...context, client: BACKGROUND, key: undefined }),
      share,
      tools: {
        reader,
        comparePictures: async (before, after) => {
          const call = { ignored: [], selectors: [], threshold: THRESHOLD, align: 'rows', format: undefined } as const;
          const {
            regions,
            pixels,
            after: size,
          } = await compare.pictures(
            { ...call, before: { bytes: before }, after: { bytes: after }, maxPixels: config.maxPixels },
            CLIENT,
            ending.signal,
          );
          return { regions, ratio: pixels / Math.max(1, size.width * size.height) };
        },
      },
      record: metrics.recordShadow,
      log,
    });
    return {
      state: {},
      around: { inside: shadow.wrap },
      start: () => {
        host.start().then(lower, (error: unknown) => {
          log.error({ err: error, executable }, 'the browser of BROWSER_NEXT did not start');
        });
      },
      stop: async () => {
        ending.abort();
        await shadow.stop();
      },
    };
  },
};

/** Lowers the priority of all processes of a browser; later ones inherit it. */
function lowerPriority(group: number): void {
  for (const pid of findProcesses(group, '')) {
    try {
      setPriority(pid, LOWEST_PRIORITY);
    } catch {
      // The process has ended.
    }
  }
}
