/**
 * How the host's API Priority and Fairness tells apart who asks: each tenant is one flow, whoever of it asks, in a level of
 * their own; the proxy's own reads, on which all tenants wait, are in another. Asked as the data path asks.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { UpstreamIdentity } from '../../src/ports.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import { identityHeaders } from '../../src/upstream/identity-headers.ts';
import { type Host, prepareHost } from '../support/host.ts';
import { requestOnce } from '../support/http.ts';

const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const NODES = '/api/v1/nodes?limit=1';
const facts = inject('controlPlane');

interface FlowSchema {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly distinguisherMethod?: { readonly type: string };
    readonly priorityLevelConfiguration: { readonly name: string };
  };
}

let host: Host;
let schemas: readonly FlowSchema[];
beforeAll(async () => {
  host = await prepareHost(facts);
  const { body } = await host.admin.send('GET', SCHEMAS);
  schemas = (body as unknown as { items: FlowSchema[] }).items;
});
afterAll(() => host[Symbol.asyncDispose]());

async function schemaOf(headers: Readonly<Record<string, string | string[]>>): Promise<FlowSchema['spec']> {
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = facts;
  const answer = await requestOnce({ server, caPem, certPem, keyPem, path: NODES, headers });
  const uid = answer.headers['x-kubernetes-pf-flowschema-uid'];
  const found = schemas.find(({ metadata }) => metadata.uid === uid);
  if (found === undefined) throw new Error(`no flow schema has ${uid}; the answer was ${answer.status}`);
  return found.spec;
}

function headersOf(tenant: string, username: string, trusted = false): Record<string, string | string[]> {
  const user = { username, groups: ['developers', 'system:authenticated'], uid: username };
  const identity = { as: 'tenant', tenant: tenant as TenantId, trusted, user } as unknown as UpstreamIdentity;
  const flat = identityHeaders(identity);
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const [name = '', value = ''] = flat.slice(at, at + 2);
    headers[name] = [...[headers[name] ?? []].flat(), value];
  }
  return headers;
}

it.each([false, true])(
  'a tenant is a flow of its own, and all of its users together (trusted: %s)',
  async (trusted) => {
    const of = (tenant: string, username: string) => headersOf(tenant, username, trusted);
    for (const headers of [of('acme', 'alice'), of('acme', 'bob'), of('globex', 'alice')]) {
      expect(await schemaOf(headers)).toMatchObject({
        distinguisherMethod: { type: 'ByUser' },
        priorityLevelConfiguration: { name: 'kubeveil-tenants' },
      });
    }
    // By which the host distinguishes.
    const user = (tenant: string, username: string) => of(tenant, username)['impersonate-user'];
    expect(user('acme', 'alice')).toEqual(user('acme', 'bob'));
    expect(user('acme', 'alice')).not.toEqual(user('globex', 'alice'));
  },
);

it.each(['kubeveil', 'kubeveil-reader', 'kubeveil-provisioner'])('%s does not wait behind tenants', async (account) => {
  const spec = await schemaOf({
    'impersonate-user': `system:serviceaccount:kubeveil-system:${account}`,
    'impersonate-group': ['system:serviceaccounts:kubeveil-system', 'system:authenticated'],
  });
  expect(spec.priorityLevelConfiguration.name).toBe('kubeveil-system');
});

it('others of the host are not among them', async () => {
  const spec = await schemaOf({ 'impersonate-user': 'kubeveil:acme', 'impersonate-group': ['system:authenticated'] });
  expect(spec.priorityLevelConfiguration.name).not.toMatch(/^kubeveil/);
});
