/**
 * Users of a tenant that are called as the proxy and the host's controllers are: what the host lets those do, it lets
 * nobody do who has only their name.
 * @see deploy/62-policy-services.yaml
 */
import { expect, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';

const { acme } = useProduct();
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const NAME = 'own-names';

it.each([
  'kubeveil:controller',
  'kubeveil:acme',
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:endpointslice-controller',
  'system:serviceaccount:kubeveil-system:kubeveil-provisioner',
  'alice',
])('writes no addresses of others as %s, and other addresses as everybody does', async (user) => {
  const headers = {
    'impersonate-user': user,
    'impersonate-group': 'system:masters',
    'content-type': 'application/json',
  };
  const write = (address: string) =>
    acme.write('POST', `${SLICES}?dryRun=All`, slice(address), { headers, typed: [user] });
  const refused = await write('10.0.0.7');
  expect([refused.status, refused.object['message']]).toEqual([
    403,
    expect.stringContaining('endpoints be written with these addresses'),
  ]);
  expect((await write('203.0.113.9')).status).toBe(201);
});

function slice(address: string) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: NAME },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address] }],
    ports: [{ port: 80 }],
  };
}
