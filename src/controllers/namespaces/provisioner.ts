/**
 * Namespaces on behalf of requests. A request makes the Namespace object; the namespace controller, which keeps all of
 * them, does the rest; here is only the waiting. So there is one way in which a namespace becomes ready.
 */
import { readObject } from '../../codec/json.ts';
import { stringifyRepeated } from '../../codec/repeated-keys.ts';
import { ApiError, notFound } from '../../errors.ts';
import { nameOf, uidOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { NamespaceRegistry, Provisioner, Upstream } from '../../ports.ts';
import { type HostGuards, withGuards } from '../../tenancy/host-guards.ts';
import {
  type TenantId,
  type TenantName,
  toTenantName,
  toUpstreamName,
  type UpstreamName,
} from '../../tenancy/names.ts';
import { SYSTEM_NAMESPACES, type Tenant } from '../../tenancy/tenant.ts';
import { createHostClient } from '../../upstream/host-client.ts';
import { isOfTenant, namespaceObject, PATHS, withOwner } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import type { NamespaceProofs } from './namespace-proofs.ts';

export interface ProvisionerOptions {
  upstream: Upstream;
  informers: HostInformers;
  registry: NamespaceRegistry;
  proofs: NamespaceProofs;
  guardsOf: (policy: string, tenant: TenantId) => HostGuards | undefined;
  signal: AbortSignal;
  /** How long a request waits for a namespace to become ready. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** Who makes the namespaces that every cluster has. */
const AS_API_SERVER = [['fieldManager', 'kube-apiserver']] as const;

export function createProvisioner(options: ProvisionerOptions): Provisioner {
  const { upstream, informers, registry, proofs } = options;
  const client = createHostClient(upstream, { as: 'provisioner' }, options.signal);

  async function whenReady(namespace: JsonObject, name: string, shown: TenantName): Promise<void> {
    const patience = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)]);
    await proofs.whenProven(name, uidOf(namespace), patience).catch((cause: unknown) => {
      throw new ApiError('ERR_UNAVAILABLE', `namespace ${JSON.stringify(shown)} is being made ready; try again`, {
        cause,
        why: 'namespace-not-ready',
        details: { retryAfterSeconds: 1 },
      });
    });
  }

  /** Reads it from upstream, so that a replica that lags knows it too. */
  async function find(tenant: Tenant, namespace: TenantName): Promise<JsonObject | undefined> {
    const found = await client.get(`${PATHS.namespaces}/${toUpstreamName(tenant.id, namespace)}`);
    if (found === undefined || !isOfTenant(found, tenant)) return undefined;
    informers.namespaces.note(found);
    return found;
  }

  return {
    async createNamespace(tenant, object, query, repeated = []) {
      const guards = options.guardsOf(tenant.policy, tenant.id);
      if (guards === undefined)
        throw new ApiError('ERR_UNAVAILABLE', 'the policy of this tenant is not loaded', { why: 'no-policy' });
      const response = await upstream.request({
        identity: { as: 'provisioner' },
        method: 'POST',
        path: PATHS.namespaces,
        query,
        contentType: 'application/json',
        body: stringifyRepeated(withGuards(withOwner(tenant, object), guards), repeated),
        signal: options.signal,
      });
      const isDryRun = query.some(([key]) => key === 'dryRun');
      if (response.status !== 201 || isDryRun) return response;
      const stored = readObject(response.body);
      const name = nameOf(stored) as UpstreamName;
      informers.namespaces.note(stored);
      await whenReady(stored, name, toTenantName(tenant.id, name) ?? ('' as TenantName));
      return response;
    },

    async exists(tenant, namespace) {
      return registry.state(tenant.id, namespace) !== 'absent' || (await find(tenant, namespace)) !== undefined;
    },

    async ensureReady(tenant, namespace) {
      const name = toUpstreamName(tenant.id, namespace);
      const state = registry.state(tenant.id, namespace);
      if (state === 'ready' || state === 'terminating') return;
      let stored = state === 'pending' ? registry.get(tenant.id, namespace) : undefined;
      if (stored === undefined && SYSTEM_NAMESPACES.includes(namespace)) {
        const made = await this.createNamespace(tenant, namespaceObject(tenant, namespace), AS_API_SERVER);
        if (made.status === 201) return;
      }
      stored ??= await find(tenant, namespace);
      if (stored === undefined) throw notFound({ group: '', what: 'namespaces', name: namespace });
      await whenReady(stored, name, namespace);
    },
  };
}
