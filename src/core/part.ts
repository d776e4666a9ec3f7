import type { ExpandTemplate } from './capture/request/request-parser.ts';
import type { BrowserHost } from './browser/host/browser-host.ts';
import type { Capture, CaptureWrapper } from './capture/capture.ts';
import type { Core, Ports } from './http/routes/route.ts';
import type { LimitStore, Rate } from './access/rate.ts';
import type { StepContext } from './steps/common/step.ts';
import type { ServiceBrowser } from './service/create-browser.ts';
import type { ServicePool } from './service/create-pool.ts';
import type { Lifecycle } from './service/lifecycle.ts';
import type { ConfigOf, SettingRows } from './config/setting.ts';
import type { AddedSettings, Config } from './config/settings.ts';
import type { ServiceContext } from './service/service-context.ts';

/** What a part may use of the core. Captures and counts work only when all parts are open. */
interface PartCore
  extends
    Pick<ServiceContext, 'shaping'>,
    Pick<Core, 'budgets' | 'capture' | 'config' | 'keys' | 'log' | 'now' | 'parseFields' | 'tracer' | 'version'>,
    Pick<Ports, 'recount'>,
    Pick<ServiceBrowser, 'host'>,
    Pick<ServicePool, 'openDestinations' | 'ownPorts' | 'pool' | 'reach'> {
  /**
   * Opens another browser with one page of its own, for which no client waits. The caller starts its host.
   * @throws Error with a message for the operator if there is no such browser
   */
  readonly openBrowser: (executable: string) => Promise<{ readonly host: BrowserHost; readonly capture: Capture }>;
  /** A part registers here how it is closed. Parts close in reverse order of the list. */
  readonly lifecycle: Lifecycle;
}

/** Everything that parts can give to the core. */
export interface PartPorts extends Ports {
  /** Replaces the template of a request by its fields and its page. */
  readonly expand: ExpandTemplate;
  /** Creates a store of rate limits that instances share. */
  readonly sharedStore: ((name: string, rate: Rate) => LimitStore) | undefined;
  /** Filter lists of the operator, once they are loaded. */
  readonly lists: StepContext['lists'];
}

/** A part of the service that runs. */
export interface OpenPart<State> {
  /** What the routes, and the parts behind it in the list, get of it. */
  readonly state: State;
  /** What the core gets of it. */
  readonly ports?: Partial<PartPorts>;
  /**
   * Wraps captures: outside of the cache (each answer), as the cache, or inside of it (each capture that the browser
   * makes). The core refuses captures of a closing service, and counts those that run, right below the cache.
   */
  readonly around?: Partial<Readonly<Record<'outside' | 'cache' | 'inside', CaptureWrapper>>>;
  /** Runs when the service listens. */
  readonly start?: () => Promise<void> | void;
  /** Runs when the service closes, before captures are drained: ends the part's own captures. */
  readonly stop?: () => Promise<void>;
}

/** What the service can do besides captures: jobs, usage, a cache. A row of `list.ts`. */
export interface Part<Needs, State> {
  /** @throws Error with a message for the operator, if the service must not start */
  readonly open: (core: PartCore & Needs) => Promise<OpenPart<State>> | OpenPart<State>;
}

/** Parts in the order in which they open. The compiler refuses a part before one that it needs. */
export interface PartList<State extends ConfigState> {
  readonly settings: Pick<AddedSettings<SettingRows>, 'rows'>;
  readonly and: <Own extends object>(part: Part<State, Own>) => PartList<State & Own>;
  readonly open: (core: PartCore & Pick<State, 'config'>) => Promise<OpenParts<State>>;
}

export interface OpenParts<State> {
  /** What all routes get of all parts. */
  readonly state: State;
  readonly parts: readonly OpenPart<object>[];
}

/** Every list begins with the settings of all its parts. */
export interface ConfigState {
  readonly config: Config;
}

/** Returns the list of a service without parts. The settings are those of the parts that will be added. */
export function partsWith<Rows extends SettingRows>(
  settings: AddedSettings<Rows>,
): PartList<{ readonly config: Config & ConfigOf<Rows> }> {
  return listOf(settings, async ({ config }) => ({ state: { config }, parts: [] }));
}

function listOf<State extends ConfigState>(
  settings: PartList<State>['settings'],
  open: PartList<State>['open'],
): PartList<State> {
  return {
    settings,
    open,
    and: <Own extends object>(part: Part<State, Own>) =>
      listOf<State & Own>(settings, async (core) => {
        const before = await open(core);
        const opened = await part.open({ ...core, ...before.state });
        return { state: { ...before.state, ...opened.state }, parts: [...before.parts, opened] };
      }),
  };
}
