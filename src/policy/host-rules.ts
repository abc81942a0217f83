/**
 * A policy file compiled to what the host holds of it: annotations of the tenant's namespaces, which the walls in
 * `deploy/61-policy-*.yaml` read. Lists stand in one annotation, with spaces between; `*` is everything; what is not there
 * allows nothing.
 */

import type { JsonObject } from '../k8s/types.ts';
import { type HostGuards, type NetworkGuards, POD_SECURITY_FLOOR } from '../tenancy/host-guards.ts';
import { OWN_PREFIX, type TenantId } from '../tenancy/names.ts';
import type { HostSettings } from './host-settings.ts';
import type { PolicyFile } from './schema.ts';

/**
 * Ranges that are nobody's on the Internet: pods, services, nodes, and clouds' metadata are in them. Of IPv6 those too by
 * which an address of IPv4 may be reached: translation, 6to4, Teredo. Not the ranges of IPv4 that are for documents.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const PRIVATE_RANGES: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/3'],
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2001:db8::/32', '2002::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

/** What a policy file says besides its settings of the host, and the host holds all the same. */
type HostHeld = Pick<PolicyFile, 'shared' | 'admission' | 'rules'>;

/**
 * Words in the keys of annotations by which an Ingress has its controller run what it says, read what is another's, or take
 * hosts that it does not name: `harmless` is all but these.
 */
const HARMFUL: readonly string[] = [
  // Configuration and code as it stands: ingress-nginx, NGINX, HAProxy.
  ...['snippet', '/config-', 'lua', 'skipper-'],
  // Secrets, certificates, middlewares and options of any namespace.
  ...['secret', 'middlewares', 'server-crt', 'server-ca', 'client-ca', 'client-crt', 'tls.options'],
  // Into the configuration unquoted in versions that are still about: CVE-2025-24514, CVE-2025-1097, CVE-2025-1098.
  ...['auth-url', 'auth-signin', 'auth-tls', 'mirror-'],
  // More hosts, a part in those of another Ingress, and a load balancer that others share.
  ...['server-alias', '/hostname', 'mergeable-ingress', 'group.name'],
];

export function hostGuards(
  name: string,
  settings: HostSettings,
  tenant: TenantId,
  { shared, admission, rules }: HostHeld,
): HostGuards {
  const { pods, services, ingresses, podSecurity } = settings;
  const network = networkOf(settings);
  const own = pods.tolerations.map(({ key }) => key);
  const annotations = {
    policy: name,
    may: may(settings, shared).join(' '),
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
    'ingress-annotations': ingresses.annotations === 'harmless' ? '*' : words(ingresses.annotations),
    'ingress-annotations-except': ingresses.annotations === 'harmless' ? HARMFUL.join(' ') : '',
    ...classesSaid(shared),
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
    relays: admission.controllerObjects,
    hasRules: rules.length > 0,
    quota: settings.quota,
    limitRange: limitRangeOf(settings),
  };
}

function networkOf({ network: { isolate, closed, open, from, dns } }: HostSettings): NetworkGuards | undefined {
  if (!isolate) return undefined;
  return { closed: closed === 'private' ? PRIVATE_RANGES : closed, open, from, dns };
}

/** A priority class of the host's own: it puts a pod before every other. */
export function isSystemPriority(name: string): boolean {
  return name.startsWith('system-');
}

/** What is allowed or not, as one word each. */
function may({ pods, services, network }: HostSettings, { priorityClasses }: PolicyFile['shared']): string[] {
  const systemPriority = priorityClasses !== 'all' && priorityClasses.some(isSystemPriority);
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

/** Which of the host's classes may be chosen, also by whoever goes past the proxy: deploy/68-policy-classes.yaml. */
function classesSaid(shared: PolicyFile['shared']): Record<string, string> {
  return {
    'storage-classes': words(shared.storageClasses),
    'ingress-classes': words(shared.ingressClasses),
    'priority-classes': words(shared.priorityClasses),
    'runtime-classes': words(shared.runtimeClasses),
    'volume-attributes-classes': words(shared.volumeAttributesClasses),
    'device-classes': words(shared.deviceClasses),
  };
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
