/**
 * A policy as the stages ask it: what exists for a tenant beyond the table of kinds, which of the host's own objects it
 * sees, and how much it may take. A tenant whose policy is not loaded gets nothing.
 */
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Profile, ResourceKey } from '../kinds/kind.ts';
import { keyOfResource } from '../kinds/resource-name.ts';
import type { HostGuards } from '../tenancy/host-guards.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { hostGuards, isSystemPriority } from './host-rules.ts';
import { hostSettings } from './presets.ts';
import { rulesPolicySpec } from './rules-policy.ts';
import type { PolicyFile } from './schema.ts';

export interface PolicyLimits {
  /** Requests at once, watches and other streams not counted: of all users together, and of one. */
  readonly requestsInFlight: number;
  readonly requestsInFlightPerUser: number;
  /** Requests that wait for their turn. */
  readonly requestsWaiting: number;
  /** Of every kind. Undefined for no limit. */
  readonly requestsPerSecond: number | undefined;
  readonly requestsPerSecondPerUser: number | undefined;
  /** Watches and other streams at once. */
  readonly watches: number;
  readonly watchesPerUser: number;
  readonly requestBodyBytes: number;
  /** Of the tenant, at once. */
  readonly namespaces: number;
  readonly customResourceDefinitions: number;
}

export interface Policy {
  readonly name: string;
  readonly profile: Profile;
  readonly limits: PolicyLimits;
  /** Whether the reader may list and watch Secrets of all of a tenant's namespaces at once. */
  readonly readsSecretsAcross: boolean;
  /** True where reads that ask for the newest need only have what the tenant itself wrote through this replica. */
  readonly readsOwnWritesOnly: boolean;
  /** Whether a webhook that is given by URL may be at this host. */
  mayCallHost(host: string, port: number): boolean;
  /** False for what the file denies; the table of kinds has decided before. */
  isOffered(key: ResourceKey): boolean;
  /** Whether the tenant sees the host's object of this name, of a published kind, if there is one. */
  shares(key: ResourceKey, name: string): boolean;
  /** Whether the file names this object of the host itself, and does not only share all of its kind. */
  lists(key: ResourceKey, name: string): boolean;
  /** What the host holds for the namespaces of a tenant under this policy. */
  guards(tenant: TenantId): HostGuards;
  /** Every setting with its value, whether the file says it or its profile. */
  explain(): object;
}

export interface Policies {
  /** @throws {ApiError} ERR_UNAVAILABLE when the tenant names a policy that is not loaded. */
  of(tenant: Pick<Tenant, 'policy'>): Policy;
  /** Of the policies that are loaded. */
  readonly names: ReadonlySet<string>;
  /** Ids that no new tenant may have, of all files together. */
  readonly reservedTenantIds: ReadonlySet<string>;
  /** Spec of the host's policy that holds the rules of all files: see rules-policy.ts. */
  readonly rulesPolicy: JsonObject;
  /** Calls back when the files have changed, where they are followed. Returns how to end it. */
  subscribe?(changed: () => void): () => void;
}

const PRIORITY_CLASSES: ResourceKey = 'scheduling.k8s.io/priorityclasses';
const NONE: ReadonlySet<string> = new Set();
/** Which setting says what of a published kind is seen. What has no entry here is decided object by object. */
const SHARED: ReadonlyMap<ResourceKey, keyof Omit<PolicyFile['shared'], 'nodes'>> = new Map([
  ['storage.k8s.io/storageclasses', 'storageClasses'],
  ['storage.k8s.io/volumeattributesclasses', 'volumeAttributesClasses'],
  ['networking.k8s.io/ingressclasses', 'ingressClasses'],
  [PRIORITY_CLASSES, 'priorityClasses'],
  ['node.k8s.io/runtimeclasses', 'runtimeClasses'],
  ['resource.k8s.io/deviceclasses', 'deviceClasses'],
]);

/** @param name of the file, without its ending */
function compilePolicy(name: string, file: PolicyFile): Policy {
  const webhookHosts = new Set(file.admission.webhookHosts);
  const denied = new Set(file.kinds.deny.map(keyOfResource));
  const shared = new Map<ResourceKey, ReadonlySet<string> | undefined>([
    ['/nodes', file.shared.nodes ? undefined : NONE],
    // What they use tells that they are there.
    ['metrics.k8s.io/nodes', file.shared.nodes ? undefined : NONE],
  ]);
  for (const [key, setting] of SHARED) {
    const names = file.shared[setting];
    shared.set(key, names === 'all' ? undefined : new Set(names));
  }
  const settings = hostSettings(file);
  return {
    name,
    profile: file.profile,
    limits: file.limits,
    readsSecretsAcross: file.watchSecretsAcrossNamespaces,
    readsOwnWritesOnly: file.consistency === 'session',
    mayCallHost: (host, port) => {
      const name = host.includes(':') ? `[${host}]` : host;
      return webhookHosts.has(name) || webhookHosts.has(`${name}:${port}`);
    },
    isOffered: (key) => !denied.has(key),
    shares: (key, name) => shared.get(key)?.has(name) ?? !isReserved(key, name),
    lists: (key, name) => shared.get(key)?.has(name) ?? false,
    explain: () => ({ ...file, ...settings }),
    guards: (tenant) => hostGuards(name, settings, tenant, file),
  };
}

/** Classes that `all` leaves out. */
function isReserved(key: ResourceKey, name: string): boolean {
  return key === PRIORITY_CLASSES && isSystemPriority(name);
}

export function createPolicies(files: ReadonlyMap<string, PolicyFile>): Policies {
  const policies = new Map([...files].map(([name, file]) => [name, compilePolicy(name, file)]));
  return {
    of(tenant) {
      const policy = policies.get(tenant.policy);
      if (policy !== undefined) return policy;
      throw new ApiError(
        'ERR_UNAVAILABLE',
        'the policy of this tenant is not loaded; its operator has to add the file',
        {
          why: 'no-policy',
          cause: new Error(`no policy file is named ${JSON.stringify(tenant.policy)}`),
        },
      );
    },
    names: new Set(policies.keys()),
    reservedTenantIds: new Set([...files.values()].flatMap((file) => file.reservedTenantIds)),
    rulesPolicy: rulesPolicySpec(new Map([...files].map(([name, { rules }]) => [name, rules]))),
  };
}
