import type { BrowserHost } from '../browser/host/browser-host.ts';
import { createPagePool, type PagePool } from '../browser/pool/page-pool.ts';
import { createSocketOwner } from '../browser/process/socket-owner.ts';
import { createDestinationPolicy, type Destinations, type ProxyResolves } from '../egress/destination.ts';
import { dialByProxy } from '../egress/gate/dial-by-proxy.ts';
import { type Dial, dial, type EgressRoute } from '../egress/gate/dial.ts';
import { createGate, type Gate } from '../egress/gate/gate.ts';
import { createPeerCheck } from '../egress/peers/peer-check.ts';
import { parseNoProxy, type EgressProxy } from '../egress/proxy-setting.ts';
import { type EgressRule, parseEgressRules } from '../egress/rules.ts';
import type { Resolve } from '../egress/resolver.ts';
import type { ServiceContext } from './service-context.ts';
import { isIPv6 } from 'node:net';

/** The pool of pages, and the egress rules for all connections of the service. */
export interface ServicePool {
  readonly pool: PagePool;
  /** Opens the destinations of one capture, reached through the proxy of PROXIES with this name. */
  readonly openDestinations: (within?: readonly EgressRule[], proxy?: string) => EgressRoute;
  /** Checks an address without a DNS query. For signed links, whose names are resolved when they are followed. */
  readonly openDestinationsByAddress: (within?: readonly EgressRule[]) => Destinations;
  readonly reach: Dial;
  /** Ports of the service on loopback, without those of the gates. Pages can never connect to either. */
  readonly ownPorts: Set<number>;
  readonly openGates: Set<Gate>;
}

/**
 * Creates one gate per slot, the pool of pages behind them, and the egress rules. Pools of one service share their
 * ports and gates, to which no page may connect.
 */
export async function createPool(
  { config, lifecycle, log }: ServiceContext,
  host: BrowserHost,
  resolve: Resolve,
  { ownPorts, openGates }: Pick<ServicePool, 'ownPorts' | 'openGates'> = { ownPorts: new Set(), openGates: new Set() },
): Promise<ServicePool> {
  const { egressProxy: proxy, proxies } = config;
  const bypassesProxy = parseNoProxy(config.noProxy);
  const reach = proxy === undefined ? dial : dialByProxy({ proxy, bypassesProxy, log });
  const isOurs = await createPeerCheck(createSocketOwner(host.groups), log);
  const openGate = async (): Promise<Gate> => {
    const gate = await createGate(log, { reach, isOurs });
    openGates.add(gate);
    return {
      ...gate,
      close: async () => {
        await gate.close();
        openGates.delete(gate);
      },
    };
  };
  const [extraGate, ...gates] = await Promise.all([openGate(), ...Array.from({ length: config.poolSize }, openGate)]);
  lifecycle.onClose({
    name: 'gates',
    timeoutMs: 1_000,
    close: async () => void (await Promise.all([...openGates].map((gate) => gate.close()))),
  });
  const pool = createPagePool({
    host,
    gates,
    extraGate,
    createGate: openGate,
    maxQueue: config.maxQueue,
    makesAhead: true,
    log,
  });

  const isGatePort = (to: number): boolean =>
    [...openGates].some(({ port, webSocketPort }) => to === port || to === webSocketPort);
  const allProxies = [...(proxy === undefined ? [] : [proxy]), ...Object.values(proxies)];
  const egress = {
    allow: config.egressAllow,
    deny: [...config.egressDeny, ...redisRules(config.redisUrl), ...allProxies.flatMap(proxyRules)],
    only: config.egressOnly,
    nat64: config.egressNatPrefixes,
    isOwnPort: (port: number) => ownPorts.has(port) || isGatePort(port),
  };
  const openDestinations = createDestinationPolicy({ ...egress, resolve });
  const proxyResolves: ProxyResolves = (name, port) => proxy !== undefined && !bypassesProxy(name, [], port);
  const named = new Map(
    Object.entries(proxies).map(([name, each]) => {
      const options = { proxy: each, bypassesProxy: () => false, log: log.child({ proxy: name }) };
      return [name, dialByProxy(options)];
    }),
  );
  return {
    pool,
    openDestinations: (within, name) => {
      if (name === undefined) return openDestinations(within, proxyResolves);
      return { ...openDestinations(within, () => true), reach: named.get(name) };
    },
    openDestinationsByAddress: createDestinationPolicy({ ...egress, resolve: async () => [] }),
    reach,
    ownPorts,
    openGates,
  };
}

/** Rules that deny our Redis by its name, even if EGRESS_ALLOW lists it. */
function redisRules(redisUrl: string | undefined): EgressRule[] {
  if (redisUrl === undefined) return [];
  const { hostname, port } = new URL(redisUrl);
  return parseEgressRules(`${hostname}:${port || '6379'}`);
}

/** Rules that deny a proxy of the service, which could forward a page anywhere. */
function proxyRules(proxy: EgressProxy): EgressRule[] {
  const host = isIPv6(proxy.host) ? `[${proxy.host}]` : proxy.host;
  return parseEgressRules(`${host}:${proxy.port}`);
}
