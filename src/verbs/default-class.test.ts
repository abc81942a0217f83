import { describe, expect, it } from 'vitest';
import { VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { HostNames } from '../ports.ts';
import type { TenantName } from '../tenancy/names.ts';

const SC = 'storage.k8s.io/storageclasses';
const PC = 'scheduling.k8s.io/priorityclasses';
const IC = 'networking.k8s.io/ingressclasses';
type Default = ReturnType<HostNames['defaultOf']>;
const OWN: Default = { own: 'mine' as TenantName };

const KINDS = {
  claim: ['/api/v1/namespaces/web/persistentvolumeclaims', 'PersistentVolumeClaim', SC, 'storageClassName'],
  pod: ['/api/v1/namespaces/web/pods', 'Pod', PC, 'priorityClassName'],
  ingress: ['/apis/networking.k8s.io/v1/namespaces/web/ingresses', 'Ingress', IC, 'ingressClassName'],
} as const;

/** What upstream is sent of a new object. */
async function sent(
  what: keyof typeof KINDS,
  found: Default,
  spec: JsonObject,
  annotations: JsonObject = {},
): Promise<unknown> {
  const [path, kind, of, field] = KINDS[what];
  const lab = new VerbLab(({ body }) => ({ status: 201, body: JSON.parse(String(body)) }), {
    profile: 'trusted',
    defaults: { [of]: found },
  });
  const apiVersion = path.startsWith('/api/') ? 'v1' : 'networking.k8s.io/v1';
  await lab.ask('POST', path, { body: { apiVersion, kind, metadata: { name: 'x', annotations }, spec } });
  return JSON.parse(String(lab.upstream.requests[0]?.body)).spec[field];
}

describe('the default class', () => {
  it.each(['claim', 'pod', 'ingress'] as const)('is that of the tenant for a %s that chooses none', async (what) => {
    expect(await sent(what, OWN, {})).toBe('acme--mine');
    expect(await sent(what, OWN, { [KINDS[what][3]]: null })).toBe('acme--mine');
    expect(await sent(what, OWN, { [KINDS[what][3]]: 'other' })).toBe('acme--other');
  });
  it.each(['claim', 'pod', 'ingress'] as const)('of the host is the host’s to set for a %s', async (what) => {
    expect(await sent(what, 'host', {})).toBeUndefined();
  });
  it('that nobody has is the empty class of the tenant’s volumes', async () => {
    expect(await sent('claim', undefined, {})).toBe('acme---none');
    expect(await sent('pod', undefined, {})).toBeUndefined();
    expect(await sent('ingress', undefined, {})).toBeUndefined();
  });
  it('does not take the place of a choice', async () => {
    expect(await sent('claim', OWN, { storageClassName: '' })).toBe('acme---none');
    expect(await sent('pod', OWN, { priorityClassName: '' })).toBe('acme--mine');
    expect(await sent('claim', OWN, {}, { 'volume.beta.kubernetes.io/storage-class': 'a' })).toBeUndefined();
    expect(await sent('ingress', OWN, {}, { 'kubernetes.io/ingress.class': 'a' })).toBeUndefined();
  });
});

describe('a global default', () => {
  const PATH = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const priority = (name: string, globalDefault: boolean) => ({ metadata: { name }, value: 5, globalDefault });
  const lab = (found: Default) =>
    new VerbLab(({ body }) => ({ status: 200, body: JSON.parse(String(body)) }), {
      profile: 'trusted',
      defaults: { [PC]: found },
    });

  it.each([
    ['POST', PATH],
    ['PUT', `${PATH}/second`],
    ['PATCH', `${PATH}/second?fieldManager=me`],
  ])('is one: %s', async (method, path) => {
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    await expect(lab(OWN).ask(method, path, { body: priority('second', true), type })).rejects.toMatchObject({
      status: 403,
      message:
        'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass mine is already marked as default. Only one default can exist',
    });
    for (const found of [undefined, 'host'] as const)
      expect((await lab(found).ask(method, path, { body: priority('second', true), type })).status).toBe(200);
    expect((await lab(OWN).ask(method, path, { body: priority('second', false), type })).status).toBe(200);
  });
  it('may be written again', async () => {
    expect((await lab(OWN).ask('PUT', `${PATH}/mine`, { body: priority('mine', true) })).status).toBe(200);
  });
});
