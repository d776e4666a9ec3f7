import type { BrowserHost } from '../browser/host/browser-host.ts';
import { createPagePool, type PagePool } from '../browser/pool/page-pool.ts';
import { createSocketOwner } from '../browser/process/socket-owner.ts';
import { createDestinationPolicy, type Destinations } from '../egress/destination.ts';
import { dialByProxy } from '../egress/gate/dial-by-proxy.ts';
import { type Dial, dial } from '../egress/gate/dial.ts';
import { createGate, type Gate } from '../egress/gate/gate.ts';
import { proxyRules, redisRules } from '../egress/own-services.ts';
import { createPeerCheck } from '../egress/peers/peer-check.ts';
import { parseNoProxy } from '../egress/proxy-setting.ts';
import type { EgressRule } from '../egress/rules.ts';
import type { Resolve } from '../egress/resolver.ts';
import type { ServiceContext } from './service-context.ts';

/** The pool of pages, and the egress rules for all connections of the service. */
export interface ServicePool {
  readonly pool: PagePool;
  readonly openDestinations: (within?: readonly EgressRule[]) => Destinations;
  /** Checks an address without a DNS query. For signed links, whose names are resolved when they are followed. */
  readonly openDestinationsByAddress: (within?: readonly EgressRule[]) => Destinations;
  readonly reach: Dial;
  /** Ports of the service on loopback, without those of the gates. Pages can never connect to either. */
  readonly ownPorts: Set<number>;
}

/** Creates one gate per slot, the pool of pages behind them, and the egress rules. */
export async function createPool(
  { config, lifecycle, log }: ServiceContext,
  host: BrowserHost,
  resolve: Resolve,
): Promise<ServicePool> {
  const proxy = config.egressProxy;
  const bypassesProxy = parseNoProxy(config.noProxy);
  const reach = proxy === undefined ? dial : dialByProxy({ proxy, goesAround: bypassesProxy, log });
  const isOurs = await createPeerCheck(createSocketOwner(host.groups), log);
  const openGates = new Set<Gate>();
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
  const [extraGate, ...gates] = await Promise.all([
    openGate(),
    ...Array.from({ length: config.poolSize }, openGate),
  ]);
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

  const ownPorts = new Set<number>();
  const isGatePort = (to: number): boolean =>
    [...openGates].some(({ port, webSocketPort }) => to === port || to === webSocketPort);
  const egress = {
    allow: config.egressAllow,
    deny: [...config.egressDeny, ...redisRules(config.redisUrl), ...proxyRules(proxy)],
    nat64: config.egressNatPrefixes,
    isOwnPort: (port: number) => ownPorts.has(port) || isGatePort(port),
    proxyResolves: (name: string, port: number) => proxy !== undefined && !bypassesProxy(name, [], port),
  };
  return {
    pool,
    openDestinations: createDestinationPolicy({ ...egress, resolve }),
    openDestinationsByAddress: createDestinationPolicy({ ...egress, resolve: async () => [] }),
    reach,
    ownPorts,
  };
}
