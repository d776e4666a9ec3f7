import { createBrowserHost, type BrowserHost } from '../browser/host/browser-host.ts';
import type { BrowserEnvironment } from '../browser/find/browser-environment.ts';
import { findBuildDate, warnOfOldBrowser } from '../browser/find/build-date.ts';
import { type BrowserExecutable, findBrowser } from '../browser/find/executable.ts';
import { digestOfFonts } from '../browser/find/font-files.ts';
import { launchFlags } from '../browser/process/launch-flags.ts';
import { findMemoryLimit } from '../browser/process/available-memory.ts';
import { launchBrowser } from '../browser/process/launch.ts';
import { heldOutsideRenderers, showsProcesses } from '../browser/process/process-table.ts';
import { sweepProfileFolders } from '../browser/process/profile-folder.ts';
import { createSandboxedLaunch } from '../browser/process/sandbox.ts';
import { watchBrowser } from '../browser/process/watch-processes.ts';
import { trustDatabase } from '../egress/certificates/trust-database.ts';
import type { Config } from '../config/settings.ts';
import { MAX_FILES_BYTES } from '../capture/request/source-fields.ts';
import { createGarbageCollector, createMemoryBudget, type MemoryBudget, planMemory } from '../ground/memory-budget.ts';
import { DEFAULT_WINDOW } from '../steps/viewport.ts';
import type { ServiceContext } from './service-context.ts';

/**
 * A browser that holds more than this outside of its pages is replaced. After 3,000 captures it was 79 MB (PSS,
 * 2026-11-25).
 */
const RECYCLE_BYTES = 400 * 1024 ** 2;

/** The browser of the service, which starts with `host.start`. */
export interface ServiceBrowser {
  readonly executable: BrowserExecutable;
  readonly host: BrowserHost;
  readonly isSandboxed: () => boolean | undefined;
  /** What all results depend on, beside the browser itself. */
  readonly surroundings: { readonly flags: readonly string[]; readonly fonts: () => Promise<string> };
  /** Memory that request bodies and answers may use. */
  readonly budgets: { readonly bodies: MemoryBudget; readonly answers: MemoryBudget };
}

/**
 * Finds the browser executable, and creates the host that launches, watches and replaces the browser.
 * @param given budgets of a browser beside it. Default: new ones
 */
export async function createBrowser(
  { config, lifecycle, log }: ServiceContext,
  environment: BrowserEnvironment,
  given?: ServiceBrowser['budgets'],
): Promise<ServiceBrowser> {
  const executable = await findBrowser({
    ...environment.search,
    executable: config.browserExecutable,
    onUnpack: () => log.info('unpacking the browser of the npm packages, which only the first start does'),
  });
  const builtAt = await findBuildDate(executable);
  warnOfOldBrowser(builtAt, executable.source, log);
  const authorities = config.extraCaFile;
  const trusted = authorities === undefined ? undefined : await trustDatabase(authorities);
  const memory = findMemoryLimit();
  const budgets = given ?? createBudgets(memory.limitBytes, config);
  const room = { ...budgets.answers, maxBytes: config.maxResultBytes };
  const { launch, isSandboxed } = createSandboxedLaunch({
    setting: config.browserSandbox,
    launch: (sandbox) =>
      launchBrowser({
        executable,
        sandbox,
        environment: environment.variables,
        locale: environment.locale,
        userAgent: config.defaultUserAgent,
        room,
        trusted,
        log,
      }),
    log,
  });
  if (!showsProcesses()) {
    log.warn('this system has no /proc: memory and processor time of pages are not watched');
  }
  const swept = await sweepProfileFolders();
  if (swept > 0) log.info({ folders: swept }, 'removed profile folders of earlier runs');

  const host = createBrowserHost({
    launch,
    window: DEFAULT_WINDOW,
    builtAt,
    recycleAfter: config.browserRecycleAfter,
    holdsTooMuch: ({ pid }) => heldOutsideRenderers(pid) > RECYCLE_BYTES,
    watch: (browser, pages, onUnresponsive) => {
      watchBrowser({ browser, pages, onUnresponsive, memory, log });
    },
    log,
  });
  lifecycle.onClose({ name: 'browser', timeoutMs: 10_000, close: host.close });
  const { variables, locale } = environment;
  const { args: flags } = launchFlags({ sandbox: true, locale, userAgent: config.defaultUserAgent });
  const fonts = (): Promise<string> => digestOfFonts({ ...variables, ...executable.environment });
  return { executable, host, isSandboxed, surroundings: { flags, fonts }, budgets };
}

function createBudgets(limitBytes: number, config: Config): ServiceBrowser['budgets'] {
  const plan = planMemory(limitBytes, {
    maxBodyBytes: config.maxBodyBytes + MAX_FILES_BYTES,
    maxResultBytes: config.maxResultBytes,
  });
  return {
    bodies: createMemoryBudget(plan.bodies),
    answers: createMemoryBudget(plan.answers, createGarbageCollector()),
  };
}
