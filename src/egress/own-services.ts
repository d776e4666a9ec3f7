import { isIPv6 } from 'node:net';
import type { EgressProxy } from './proxy-setting.ts';
import { type EgressRule, parseEgressRules } from './rules.ts';

/** Rules that deny our Redis by its name, even if EGRESS_ALLOW lists it. */
export function redisRules(redisUrl: string | undefined): EgressRule[] {
  if (redisUrl === undefined) return [];
  const { hostname, port } = new URL(redisUrl);
  return parseEgressRules(`${hostname}:${port || '6379'}`);
}

/** Rules that deny a proxy of the service, which could forward a page anywhere. */
export function proxyRules(proxy: EgressProxy): EgressRule[] {
  const host = isIPv6(proxy.host) ? `[${proxy.host}]` : proxy.host;
  return parseEgressRules(`${host}:${proxy.port}`);
}
