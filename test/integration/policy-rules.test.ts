/**
 * Rules of an operator's own, held by the host: for the tenant, for whoever goes past the proxy, and for what the host's
 * controllers make. Every refusal has a twin that passes.
 * @see deploy/66-policy-rules.yaml, src/policy/rules-policy.ts
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { findMissingWalls } from '../../src/controllers/walls/walls.ts';
import { child, objects, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { createHostClient } from '../../src/upstream/host-client.ts';
import {
  type PolicyTenants,
  pod,
  preparePolicyTenants,
  upstreamNamespace,
  writers,
} from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import { type Answer, accountClient } from '../support/token-client.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/kubeveil-rules';
const OWNED = `
rules:
  - name: pods-have-owners
    kinds: [pods]
    expression: "'owner' in object.metadata.?labels.orValue({})"
    message: every pod says whose it is, in the label owner
  - name: no-latest
    kinds: [pods]
    expression: "object.spec.?ephemeralContainers.orValue([]).all(c, !c.image.endsWith(':latest'))"
    message: images have versions
  - name: names
    kinds: [configmaps, secrets]
    expression: object.metadata.name.startsWith(variables.tenant + '-in-' + variables.shownNamespace) // as we have it
    message: names begin with the tenant and its namespace
`;
const WORDS = /forbidden: .*every pod says whose it is, in the label owner/;
let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), { default: '', owned: OWNED, turns: '' });
  const policies = { 'rul-none': 'default', 'rul-own': 'owned', 'rul-turns': 'turns' };
  await Promise.all(Object.entries(policies).map(([tenant, policy]) => tenants.make(tenant, policy)));
  // The host takes up a policy a moment after it is stored.
  await eventually('the rules act', async () => {
    const { status } = await tenants.admin('POST', `${upstreamNamespace('rul-own')}/pods${DRY}`, owned());
    return status === 201;
  });
});
afterAll(() => tenants[Symbol.asyncDispose]());

const owned = (spec: JsonObject = {}) => pod(spec, {}, { labels: { owner: 'me' } });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe.each(writers(() => tenants))('what %s writes', (_who, ask) => {
  const make = (tenant: string, resource: string, object: JsonObject): Promise<Answer> =>
    ask(tenant)('POST', `${upstreamNamespace(tenant)}/${resource}${DRY}`, object);

  it('meets the rules of the policy of its namespace, and of no other', async () => {
    expectRefused(await make('rul-own', 'pods', pod()), WORDS);
    expectDone(await make('rul-own', 'pods', owned()));
    expectDone(await make('rul-none', 'pods', pod()));
  });

  it('meets rules of its kind alone, in the words of its tenant', async () => {
    expectRefused(await make('rul-own', 'configmaps', configMap('a')), /names begin with the tenant/);
    expectDone(await make('rul-own', 'configmaps', configMap('rul-own-in-default.a')));
    expectDone(await make('rul-own', 'services', { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } }));
  });

  it('meets them when it changes, also by what changes a pod from aside', async () => {
    const at = `${upstreamNamespace('rul-own')}/pods`;
    const made = await tenants.admin('POST', at, pod({}, {}, { labels: { owner: 'me' }, generateName: 'rul-' }));
    expectDone(made);
    const { name } = (made.body as { metadata: { name: string } }).metadata;
    const send = ask('rul-own');
    const label = (owner: string | null) =>
      send('PATCH', `${at}/${name}${DRY}`, { metadata: { labels: { owner } } }, MERGE);
    expectRefused(await label(null), WORDS);
    expectDone(await label('you'));
    const debug = (image: string) =>
      send(
        'PATCH',
        `${at}/${name}/ephemeralcontainers${DRY}`,
        { spec: { ephemeralContainers: [{ name: 'd', image }] } },
        'application/strategic-merge-patch+json',
      );
    expectRefused(await debug('tools:latest'), /images have versions/);
    expectDone(await debug('tools:1'));
    expectDone(await tenants.admin('DELETE', `${at}/${name}?gracePeriodSeconds=0`));
  });

  it('meets them also when it was deleted and is held, but for who takes off what holds it', async () => {
    const at = `${upstreamNamespace('rul-own')}/pods`;
    const metadata = { labels: { owner: 'me' }, generateName: 'rul-', finalizers: ['example.com/hold'] };
    const made = await tenants.admin('POST', at, pod({}, {}, metadata));
    const { name } = (made.body as { metadata: { name: string } }).metadata;
    expectDone(await tenants.admin('DELETE', `${at}/${name}?gracePeriodSeconds=0`));
    const send = (patch: JsonObject) => ask('rul-own')('PATCH', `${at}/${name}`, patch, MERGE);
    expectRefused(await send({ metadata: { labels: { owner: null } } }), WORDS);
    expectDone(await send({ metadata: { labels: { owner: 'you' } } }));
    expectDone(await send({ metadata: { finalizers: null } }));
  });
});

it('holds for what the host’s controllers make, and they tell why', async () => {
  const replicas = (name: string, labels: JsonObject) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name, ...labels } }, spec: pod()['spec'] as JsonObject },
    },
  });
  const sets = '/apis/apps/v1/namespaces/rul-own--default/replicasets';
  expectDone(await tenants.as('rul-own')('POST', sets, replicas('bare', {})));
  expectDone(await tenants.as('rul-own')('POST', sets, replicas('good', { owner: 'me' })));
  const statusOf = async (name: string) => {
    const { body } = await tenants.admin('GET', `${sets}/${name}`);
    return child(body as JsonObject, 'status');
  };
  await eventually('the pod with an owner is made', async () => (await statusOf('good'))['replicas'] === 1);
  let said = '';
  await eventually('the pod without one is refused', async () => {
    const failure = objects(await statusOf('bare'), 'conditions').find(({ type }) => type === 'ReplicaFailure');
    said = text(failure, 'message');
    return said !== '';
  });
  expect(said).toMatch(WORDS);
});

it('comes with a file that is changed, and goes with it', async () => {
  const make = () => tenants.as('rul-turns')('POST', `${upstreamNamespace('rul-turns')}/pods${DRY}`, pod());
  let last = await make();
  const until = (said: RegExp) =>
    eventually(`a pod is answered with ${said}`, async () => {
      last = await make();
      return said.test(JSON.stringify([last.status, last.body.message]));
    });
  expectDone(last);
  tenants.rewrite('turns', OWNED);
  await until(/^.403,.*every pod says whose it is/);
  tenants.rewrite('turns', OWNED.replace('every pod says whose it is', 'say more'));
  await until(/^.403,.*say more/);
  tenants.rewrite('turns', '');
  await until(/^.201,/);
});

it('is mended when somebody changes it by hand', async () => {
  const count = async () =>
    objects(child((await tenants.admin('GET', POLICY)).body as JsonObject, 'spec'), 'validations').length;
  const before = await count();
  expectDone(await tenants.admin('PATCH', POLICY, { spec: { validations: [{ expression: 'true' }] } }, MERGE));
  await eventually('the rules are back', async () => (await count()) === before);
});

it('is a wall: without its binding, or the policy, nobody is served', async () => {
  const manifests = readManifests().filter(
    ({ file }) => file === '66-policy-rules.yaml' || file === '69-wall-probe.yaml',
  );
  const client = createHostClient(tenants.host.upstream, { as: 'provisioner' });
  expect(await findMissingWalls(client, manifests)).toEqual([]);
  const [policy, binding] = manifests;
  const gone = (path: string | undefined) => ({
    ...client,
    get: async (one: string) => (one === path ? undefined : client.get(one)),
  });
  expect(await findMissingWalls(gone(policy?.path), manifests)).toEqual([
    expect.stringMatching(/kubeveil-rules .*is missing/),
  ]);
  expect(await findMissingWalls(gone(binding?.path), manifests)).toEqual([
    expect.stringMatching(/kubeveil-rules .*is missing/),
  ]);
});

it('is the one policy that the provisioner may write, and no binding', async () => {
  const provisioner = await accountClient(tenants.host, 'kubeveil-provisioner');
  const patch = (path: string) =>
    provisioner.send('PATCH', `${path}${DRY}`, { body: { metadata: { labels: { a: 'b' } } }, contentType: MERGE });
  expectDone(await patch(POLICY));
  expect((await patch(POLICY.replace('kubeveil-rules', 'kubeveil-policy-pods'))).status).toBe(403);
  expect((await patch(POLICY.replace('policies/', 'policybindings/'))).status).toBe(403);
  const body = { metadata: { name: 'kubeveil-rules-2' }, spec: {} };
  const all = POLICY.slice(0, POLICY.lastIndexOf('/'));
  expect((await provisioner.send('POST', all + DRY, { body })).status).toBe(403);
  expect((await provisioner.send('DELETE', POLICY + DRY, {})).status).toBe(403);
  provisioner[Symbol.dispose]();
});
