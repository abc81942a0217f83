/** What tests of the host's walls share: two tenants, and a client for each account, as the host sees them. */
import { expect } from 'vitest';
import type { ControlPlaneFacts } from './control-plane.ts';
import { type Host, prepareHost, runControllers } from './host.ts';
import { createTenant, deleteTenant } from './tenants.ts';
import { type Answer, accountClient, impersonate, type TokenClient, type TokenRequestOptions } from './token-client.ts';

export const ACME = 'wall-acme';
export const GLOBEX = 'wall-globex';
/** Walls do not know a dry run from a write; the host stays as it was. */
export const DRY = '?dryRun=All';
export const RBAC = 'rbac.authorization.k8s.io';
export const NAMESPACES = '/api/v1/namespaces';
export const MERGE = 'application/merge-patch+json';

export type Ask = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

export interface Walls extends AsyncDisposable {
  readonly host: Host;
  /** uid of the Tenant ACME. */
  readonly uid: string;
  readonly dataPath: TokenClient;
  readonly reader: TokenClient;
  readonly base: TokenClient;
  /** As the tenant ACME, the way the data path asks. */
  acme(method: string, path: string, options?: TokenRequestOptions): Promise<Answer>;
  /** As a member of system:masters. */
  readonly admin: Ask;
  readonly provision: Ask;
}

/** Whom the data path may not be: what it says, the user, the groups. */
export const NOBODY_ELSE: ReadonlyArray<[string, string, string[]]> = [
  ['the administrators of the host', `kubeveil:${ACME}`, ['system:masters']],
  ['a tenant with the group of another', `kubeveil:${ACME}`, ['kubeveil:tenants', 'system:nodes']],
  ['a tenant that is not listed', 'kubeveil:nobody', ['kubeveil:tenants']],
  ['an administrator', 'admin', []],
  ['a node', 'system:node:node-0', []],
  ['a service account', 'system:serviceaccount:kubeveil-system:kubeveil-provisioner', []],
  ['a stored subject', `kubeveil.inert/${ACME}/User/alice`, []],
];

/** What a tenant may not: what it is, method, path, body. */
export const NOT_THE_TENANTS: ReadonlyArray<[string, string, string, unknown]> = [
  ['read in a namespace of another tenant', 'GET', `${NAMESPACES}/${GLOBEX}--default/configmaps`, undefined],
  ['read in a namespace of the host', 'GET', `${NAMESPACES}/default/configmaps`, undefined],
  ['read the keys of the proxy', 'GET', `${NAMESPACES}/kubeveil-system/secrets/tenant-ca-${ACME}`, undefined],
  ['read everywhere', 'GET', '/api/v1/configmaps', undefined],
  ['write in a namespace of another tenant', 'POST', `${NAMESPACES}/${GLOBEX}--default/configmaps${DRY}`, configMap()],
  ['write in a namespace of the host', 'POST', `${NAMESPACES}/default/configmaps${DRY}`, configMap()],
  ['read nodes', 'GET', '/api/v1/nodes', undefined],
  ['read cluster-scoped objects', 'GET', '/apis/virtual.kubeveil.dev/v1/clusterroles', undefined],
  ['read namespaces', 'GET', `${NAMESPACES}/${ACME}--default`, undefined],
  ['delete a namespace', 'DELETE', `${NAMESPACES}/${ACME}--default${DRY}`, undefined],
  ['read tenants', 'GET', '/apis/kubeveil.dev/v1alpha1/tenants', undefined],
  ['bind a pod', 'POST', `${NAMESPACES}/${ACME}--default/pods/x/binding${DRY}`, { target: { name: 'node-0' } }],
];

export async function prepareWalls(facts: ControlPlaneFacts): Promise<Walls> {
  const host = await prepareHost(facts);
  const controllers = runControllers(host);
  await controllers.whenSynced();
  const [tenant] = await Promise.all([ACME, GLOBEX].map((id) => createTenant(host, controllers, id)));
  const accounts = ['kubeveil-datapath', 'kubeveil-reader', 'kubeveil-provisioner', 'kubeveil'];
  const clients = await Promise.all(accounts.map((account) => accountClient(host, account)));
  const [dataPath, reader, provisioner, base] = clients as [TokenClient, TokenClient, TokenClient, TokenClient];
  const asAcme = impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`);
  return {
    host,
    uid: tenant?.uid ?? '',
    dataPath,
    reader,
    base,
    acme: (method, path, options = {}) =>
      dataPath.send(method, path, { ...options, headers: { ...asAcme, ...options.headers } }),
    admin: async (...request) => (await host.admin.send(...request)) as Answer,
    provision: (method, path, body, contentType) =>
      provisioner.send(method, path, { body, ...(contentType !== undefined && { contentType }) }),
    async [Symbol.asyncDispose]() {
      await Promise.all([ACME, GLOBEX].map((id) => deleteTenant(host, controllers, id)));
      for (const client of clients) client[Symbol.dispose]();
      await controllers[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

export function expectRefused(answer: Answer, saying: RegExp): void {
  expect(answer.body.message).toMatch(saying);
  expect(answer.status).toBe(403);
}

export function expectDone(answer: Answer): void {
  expect(answer.status, answer.body.message).toBeLessThan(300);
}

export function configMap(name = 'x', metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
}
