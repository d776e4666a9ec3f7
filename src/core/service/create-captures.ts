import { availableParallelism } from 'node:os';
import { localeByCalls } from '../browser/locale.ts';
import { type Capture, createCapture } from '../capture/capture.ts';
import { createDigest } from '../capture/digest.ts';
import { createEncodeLimit } from '../capture/formats/pictures/encode-limit.ts';
import { createParseFields, type ParseFields, withoutTemplate } from '../capture/request/request-parser.ts';
import { NO_PORTS } from '../http/routes/route.ts';
import type { ServiceBrowser } from './create-browser.ts';
import type { ServicePool } from './create-pool.ts';
import type { ConfigState, OpenParts, PartList, PartPorts } from '../part.ts';
import type { ServiceContext } from './service-context.ts';
import { createRunningWork, type RunningWork, wrapCapture } from './wrap-capture.ts';

/** The function that captures, with everything that the parts put around it. */
export interface ServiceCaptures<State> extends OpenParts<State> {
  readonly capture: Capture;
  readonly parseFields: ParseFields;
  readonly ports: PartPorts;
  readonly running: RunningWork;
}

interface Opening<State extends ConfigState> {
  readonly list: PartList<State>;
  readonly locale: string;
  /** Opens another browser, and a pool with one page of it. */
  readonly openBrowser: (
    executable: string,
  ) => Promise<{ readonly browser: ServiceBrowser; readonly pool: ServicePool }>;
}

/** Returns a function that makes captures with the pages of a pool. */
function createCaptureIn(
  { config, version }: ServiceContext,
  locale: string,
  lists: PartPorts['lists'],
): (browser: ServiceBrowser, pool: ServicePool) => Capture {
  const encodeLimit = createEncodeLimit(availableParallelism());
  return ({ executable, host, surroundings }, { pool, openDestinations }) =>
    createCapture({
      pool,
      openDestinations,
      locale: localeByCalls(executable.kind, locale),
      lists,
      digestOf: createDigest({ version, browser: () => host.state().version, ...surroundings }),
      encodeLimit,
      ...config,
    });
}

/** Opens the parts of the service, and creates the function that captures. */
export async function createCaptures<State extends ConfigState>(
  context: ServiceContext & Pick<State, 'config'>,
  browser: ServiceBrowser,
  servicePool: ServicePool,
  { list, locale, openBrowser }: Opening<State>,
): Promise<ServiceCaptures<State>> {
  const { config, shutdown } = context;
  const { host, budgets } = browser;
  const captureIn = createCaptureIn(context, locale, () => ports.lists());
  // Parts get functions that exist when all parts are open.
  const opened = await list.open({
    ...context,
    ...servicePool,
    host,
    budgets,
    capture: (options, request) => capture(options, request),
    parseFields: (fields, rules) => parseFields(fields, rules),
    recount: (outcome, key, answer) => ports.recount(outcome, key, answer),
    openBrowser: async (executable) => {
      const other = await openBrowser(executable);
      return { host: other.browser.host, capture: captureIn(other.browser, other.pool) };
    },
  });
  const ports = joinPorts(opened);
  const captureInPool = captureIn(browser, servicePool);
  const running = createRunningWork();
  const capture = wrapCapture(captureInPool, {
    ...opened,
    isRefusing: () => shutdown.isRefusing,
    running,
    ...config,
  });
  const limits = { ...config, canStore: ports.storeResult !== undefined };
  const parseFields = createParseFields(ports.expand, limits, config.defaultFields);
  return { ...opened, capture, parseFields, ports, running };
}

/** Returns what all parts give to the core, with what a service without them has. */
function joinPorts({ parts }: OpenParts<object>): PartPorts {
  const given = parts.map(({ ports }) => ports ?? {});
  return Object.assign(
    {
      ...NO_PORTS,
      expand: async (fields, rules) => ({ fields: withoutTemplate(fields, rules) }),
      sharedStore: undefined,
      lists: async () => undefined,
    } satisfies PartPorts,
    ...given,
    { extensions: Object.assign({}, ...given.map(({ extensions }) => extensions)) },
  );
}
