import { describe, expect, it } from 'vitest';
import { child, objects } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { mutatingPolicies, runsMutatingPolicies, webhookConfiguration, webhookProblem } from './host-webhook.ts';
import { readManifests } from './manifests.ts';

const manifests = readManifests();
const at = (policy: string): JsonObject => ({
  url: `https://proxy:8443/kubeveil.dev/mutations/word/${policy}`,
  caBundle: 'Y2E=',
});

/** As the API server stores it, with what it fills in; then changed. */
function stored(change: (webhooks: JsonObject[]) => unknown = () => {}): JsonObject {
  const configuration = structuredClone(webhookConfiguration(manifests, at));
  const webhooks = objects(configuration, 'webhooks');
  for (const webhook of webhooks) {
    Object.assign(webhook, { matchPolicy: 'Equivalent', objectSelector: {} });
    for (const rule of objects(webhook, 'rules')) rule['scope'] = '*';
  }
  change(webhooks);
  return { ...configuration, webhooks };
}

describe('the webhook in the place of mutating policies', () => {
  it('is one for each of them, with parameters where it takes some', () => {
    const policies = mutatingPolicies(manifests);
    const wanted = manifests.filter(({ object }) => object['kind'] === 'MutatingAdmissionPolicy');
    expect([...policies.keys()]).toEqual(wanted.map(({ object }) => child(object, 'metadata')['name']));
    expect(policies.size).toBeGreaterThan(2);
    expect(policies.get('kubeveil-pods')?.params).toBe('kubeveil:pods');
    expect(objects(stored(), 'webhooks')).toHaveLength(policies.size);
  });

  it('will do as it was printed, by URL or by Service', () => {
    expect(webhookProblem(stored(), manifests)).toBeUndefined();
    const service = (policy: string) => ({
      service: { namespace: 'kubeveil-system', name: 'proxy', port: 443, path: `/x/${policy}` },
    });
    expect(webhookProblem(webhookConfiguration(manifests, service), manifests)).toBeUndefined();
  });

  it.each<[string, (webhooks: JsonObject[]) => unknown]>([
    ['one is gone', (webhooks) => webhooks.pop()],
    ['there is one more', (webhooks) => webhooks.push({ ...webhooks[0], name: 'more.example.com' })],
    ['one is ignored where it fails', ([one]) => Object.assign(one ?? {}, { failurePolicy: 'Ignore' })],
    ['one asks elsewhere', ([one]) => Object.assign(one ?? {}, { clientConfig: at('kubeveil-probe') })],
    [
      'one trusts somebody else',
      ([one]) => Object.assign(one ?? {}, { clientConfig: { ...at('kubeveil-pods'), caBundle: 'YQ==' } }),
    ],
    [
      'one is not for all objects',
      ([one]) => Object.assign(one ?? {}, { objectSelector: { matchLabels: { a: 'b' } } }),
    ],
    [
      'one has conditions',
      ([one]) => Object.assign(one ?? {}, { matchConditions: [{ name: 'no', expression: 'false' }] }),
    ],
    [
      'one meets fewer operations',
      ([one]) => Object.assign(objects(one, 'rules')[0] ?? {}, { operations: ['CREATE'] }),
    ],
    [
      'one is for other namespaces',
      ([one]) => Object.assign(one ?? {}, { namespaceSelector: { matchLabels: { a: 'b' } } }),
    ],
    ['one is called once', ([one]) => Object.assign(one ?? {}, { reinvocationPolicy: 'Never' })],
  ])('will not do when %s', (_what, change) => {
    expect(webhookProblem(stored(change), manifests)).toMatch(/kubeveil-mutations.* differs from this version/);
  });

  it('will not do when it is missing', () => {
    expect(webhookProblem(undefined, manifests)).toMatch(/kubeveil-mutations.* is missing/);
  });

  it('is for hosts that serve no such policies', async () => {
    const serving = (...names: string[]) => ({
      get: async () => ({ resources: names.map((name) => ({ name })) }) as never,
    });
    expect(await runsMutatingPolicies(serving('validatingadmissionpolicies', 'mutatingadmissionpolicies'))).toBe(true);
    expect(await runsMutatingPolicies(serving('validatingadmissionpolicies'))).toBe(false);
  });
});
