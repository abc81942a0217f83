/**
 * Tenants under policies that a test writes, on a host with the controllers of the proxy and without the proxy: what the
 * host holds, it holds for whoever writes. Tests ask as the tenant, as the host's administrator, and by way of the host's
 * own controllers.
 */

import { type Controllers, startControllers } from '../../src/controllers/controllers.ts';
import { HostHistory } from '../../src/k8s/host-history.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { parsePolicy } from '../../src/policy/load.ts';
import { createPolicies, type Policies } from '../../src/policy/policy.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { createInformer } from '../../src/upstream/informer.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { type Host, prepareHost } from './host.ts';
import { createTenant, deleteTenant } from './tenants.ts';
import { type Answer, accountClient, impersonate } from './token-client.ts';

const HEAD = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const MERGE = 'application/merge-patch+json';

export type Send = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

export interface PolicyTenants extends AsyncDisposable {
  readonly host: Host;
  readonly controllers: Controllers;
  /** As a member of system:masters, past the proxy. */
  readonly admin: Send;
  /** As the tenant, the way the data path asks. */
  as(tenant: string): Send;
  /** Makes a tenant under one of the policies; resolves when it is Active. */
  make(tenant: string, policy: string): Promise<void>;
  /** Gives a tenant another policy, or the same policy another text. */
  setPolicy(tenant: string, policy: string): Promise<void>;
  rewrite(policy: string, text: string): void;
  /** As the registry has it. */
  tenant(id: string): Tenant;
  /** Resolves when the namespace is ready. */
  makeNamespace(tenant: Tenant, name: string): Promise<void>;
}

/** @param texts policy files by name, without their head */
export async function preparePolicyTenants(
  facts: ControlPlaneFacts,
  texts: Record<string, string>,
): Promise<PolicyTenants> {
  const host = await prepareHost(facts);
  const files = new Map(Object.entries(texts));
  let policies = compile(files);
  const ending = new AbortController();
  const history = new HostHistory();
  const controllers = startControllers({
    rootCaPem: 'of a test',
    upstream: host.upstream,
    signal: ending.signal,
    onError: () => {},
    policyNames: () => policies.names,
    guardsOf: (policy, tenant) => (policies.names.has(policy) ? policies.of({ policy }).guards(tenant) : undefined),
    rulesPolicy: () => policies.rulesPolicy,
    createInformer: (path, query) =>
      createInformer({
        upstream: host.upstream,
        identity: { as: 'provisioner' },
        path,
        query,
        history,
        signal: ending.signal,
        onError: () => {},
      }),
  });
  await controllers.whenSynced();
  const dataPath = await accountClient(host, 'kubeveil-datapath');
  const made: string[] = [];
  return {
    host,
    controllers,
    admin: async (...request) => (await host.admin.send(...request)) as Answer,
    as: (tenant) => (method, path, body, contentType) =>
      dataPath.send(method, path, {
        body,
        headers: impersonate(`kubeveil:${tenant}`, 'kubeveil:tenants', `kubeveil:tenant:${tenant}`),
        ...(contentType !== undefined && { contentType }),
      }),
    async make(tenant, policy) {
      made.push(tenant);
      await createTenant(host, controllers, tenant, policy);
    },
    async setPolicy(tenant, policy) {
      await host.admin.send('PATCH', `${TENANTS}/${tenant}`, { spec: { policy } }, MERGE);
    },
    rewrite(policy, text) {
      files.set(policy, text);
      policies = compile(files);
      controllers.policiesChanged();
    },
    tenant(id) {
      const found = controllers.tenants.get(id as TenantId);
      if (found === undefined) throw new Error(`there is no tenant ${id}`);
      return found;
    },
    async makeNamespace(tenant, name) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${tenant.id}--${name}` } };
      const { status } = await controllers.provisioner.createNamespace(tenant, namespace, []);
      if (status !== 201) throw new Error(`namespace ${name} of ${tenant.id} was refused: ${status}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(made.map((tenant) => deleteTenant(host, controllers, tenant)));
      dataPath[Symbol.dispose]();
      ending.abort();
      await controllers.stop();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** Who may write in a tenant's namespaces, for tests that hold for all of them. @param tenants as they are when it is asked */
export function writers(
  tenants: () => PolicyTenants,
): ReadonlyArray<readonly [who: string, ask: (tenant: string) => Send]> {
  return [
    ['the tenant', (tenant) => tenants().as(tenant)],
    ['an administrator of the host', () => tenants().admin],
  ];
}

function compile(files: ReadonlyMap<string, string>): Policies {
  return createPolicies(new Map([...files].map(([name, text]) => [name, parsePolicy(HEAD + text, `${name}.yaml`)])));
}

/** A namespace of a tenant, upstream. */
export function upstreamNamespace(tenant: string, name = 'default'): string {
  return `/api/v1/namespaces/${tenant as TenantId}--${name}`;
}

export function pod(spec: JsonObject = {}, container: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'p-', ...metadata },
    spec: { containers: [{ name: 'a', image: 'registry.example.com/app:1', ...container }], ...spec },
  };
}
