/**
 * A policy file compiled to what the host holds of it: annotations of the tenant's namespaces, which the walls in
 * `deploy/61-policy-*.yaml` read. Lists stand in one annotation, with spaces between; `*` is everything; what is not there
 * allows nothing.
 */

import type { JsonObject } from '../k8s/types.ts';
import { type HostGuards, type NetworkGuards, POD_SECURITY_FLOOR } from '../tenancy/host-guards.ts';
import { OWN_PREFIX, type TenantId } from '../tenancy/names.ts';
import type { HostSettings } from './host-settings.ts';

/** Ranges that are nobody's on the Internet: pods, services, nodes, and clouds' metadata are in them. */
const PRIVATE_RANGES: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['224.0.0.0/3', '::/128', '::1/128', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
];

/** What a policy file says besides its settings of the host, and the host holds all the same. */
export interface HostSwitches {
  /** It shares a priority class `system-*`. */
  readonly systemPriority: boolean;
  /** Objects of controllers meet the tenant's own admission. */
  readonly relays: boolean;
}

export function hostGuards(
  name: string,
  settings: HostSettings,
  tenant: TenantId,
  { systemPriority, relays }: HostSwitches,
): HostGuards {
  const { pods, services, ingresses, podSecurity } = settings;
  const network = networkOf(settings);
  const own = pods.tolerations.map(({ key }) => key);
  const annotations = {
    policy: name,
    may: may(settings, systemPriority).join(' '),
    images: words(pods.images),
    volumes: words(pods.volumes),
    tolerate: words(pods.tolerate === 'all' ? 'all' : [...pods.tolerate, ...own]),
    'node-selector': Object.entries(pods.nodeSelector)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
    tolerations: pods.tolerations.map(({ key, value, effect }) => `${key}=${value}=${effect}`).join(' '),
    endpoints: services.endpoints === 'public' ? '*' : words(services.endpoints),
    'endpoints-except': services.endpoints === 'public' ? PRIVATE_RANGES.join(' ') : '',
    'ingress-hosts': words(ingresses.hosts).replaceAll('{tenant}', tenant),
    'ingress-annotations': words(ingresses.annotations),
    closed: network?.closed.join(' ') ?? '',
    open: network?.open.join(' ') ?? '',
  };
  const named = Object.entries(annotations)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [`${OWN_PREFIX}${key}`, value] as const);
  return {
    podSecurity,
    annotations: { [POD_SECURITY_FLOOR]: podSecurity, ...Object.fromEntries(named) },
    network,
    relays,
    quota: settings.quota,
    limitRange: limitRangeOf(settings),
  };
}

function networkOf({ network: { isolate, closed, open, from, dns } }: HostSettings): NetworkGuards | undefined {
  if (!isolate) return undefined;
  return { closed: closed === 'private' ? PRIVATE_RANGES : closed, open, from, dns };
}

/** What is allowed or not, as one word each. */
function may({ pods, services, network }: HostSettings, systemPriority: boolean): string[] {
  const switches: ReadonlyArray<readonly [word: string, on: boolean]> = [
    ['choose-node', pods.chooseNode],
    ['system-priority', systemPriority],
    ['pull-as-they-like', !pods.alwaysPullImages],
    ['node-ports', services.nodePorts],
    ['load-balancers', services.loadBalancers],
    ['external-ips', services.externalIPs],
    ['external-names', services.externalNames !== 'none'],
    ['names-inside', services.externalNames === 'all'],
    ['reach-anything', !network.isolate],
  ];
  return switches.filter(([, on]) => on).map(([word]) => word);
}

function words(list: 'all' | readonly string[]): string {
  return list === 'all' ? '*' : list.join(' ');
}

/** With what the API server would fill in, so that what it stores is what is compared. */
function limitRangeOf({ containers: { requests, limits, max } }: HostSettings): JsonObject | undefined {
  const all = { ...max, ...limits, ...requests };
  if (Object.keys(all).length === 0) return undefined;
  const item = {
    type: 'Container',
    ...filledIn('max', max),
    ...filledIn('default', { ...max, ...limits }),
    ...filledIn('defaultRequest', all),
  };
  return { limits: [item] };
}

function filledIn(field: string, amounts: JsonObject): JsonObject {
  return Object.keys(amounts).length === 0 ? {} : { [field]: amounts };
}
