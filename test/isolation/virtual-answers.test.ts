/**
 * What stands in answers about virtual kinds beside what was written: an empty status, and of some kinds the object itself
 * when it is deleted. The same objects are made on a plain API server and by a trusted tenant.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { makeTrustedTenants, type TrustedTenants } from '../support/trusted-tenants.ts';

const { host } = useProduct();
let trusted: TrustedTenants;
let tenant: TenantClient;
beforeAll(async () => {
  trusted = await makeTrustedTenants();
  tenant = trusted.holder;
});
afterAll(async () => {
  await trusted.remove(trusted.holder);
  await trusted.remove(trusted.rival);
});

const NAME = 'virtual-answers';
const FLOW = '/apis/flowcontrol.apiserver.k8s.io/v1';
const STORAGE = '/apis/storage.k8s.io/v1';
const policyRule = { apiGroups: ['a.b'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['cs'] };

const OBJECTS: ReadonlyArray<readonly [collection: string, object: KubeObject]> = [
  [`${FLOW}/flowschemas`, { spec: { priorityLevelConfiguration: { name: 'global-default' } } }],
  [
    `${FLOW}/prioritylevelconfigurations`,
    { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  ],
  [
    '/apis/apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.virtual-answers.example.com' },
      spec: {
        group: 'virtual-answers.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { name: 's', namespace: 'default' },
      },
    },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    { spec: { matchConstraints: { resourceRules: [policyRule] }, validations: [{ expression: 'true' }] } },
  ],
  [`${STORAGE}/csidrivers`, { spec: {} }],
  [`${STORAGE}/csinodes`, { spec: { drivers: [{ name: 'a.b', nodeID: 'c', topologyKeys: ['d'] }] } }],
  [
    `${STORAGE}/volumeattachments`,
    { spec: { attacher: 'a.b', nodeName: 'none', source: { persistentVolumeName: 'none' } } },
  ],
  ['/apis/networking.k8s.io/v1/servicecidrs', { spec: { cidrs: ['10.78.0.0/16'] } }],
  [
    '/apis/resource.k8s.io/v1/resourceslices',
    { spec: { driver: 'a.b', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'none' } },
  ],
];

/** What there is but for what each server says by itself. */
function shape(object: KubeObject): KubeObject {
  const { metadata, ...rest } = object;
  const { name, labels } = metadata;
  return { ...rest, metadata: { name, labels } };
}

describe('an answer about a virtual kind', () => {
  it.each(OBJECTS)('has what that of the native kind has: %s', async (collection, given) => {
    const object = { metadata: { name: NAME, labels: { a: 'b' } }, ...given };
    const path = `${collection}/${object.metadata.name}`;
    const plain = await host.send('POST', collection, object);
    const plainGone = await host.send('DELETE', path);
    expect([plain.status, plainGone.status]).toEqual([201, 200]);
    const ours = await tenant.write('POST', collection, object);
    const dry = await tenant.send(`${path}?dryRun=All`, { method: 'DELETE' });
    const table = await tenant.send(`${path}?dryRun=All`, {
      method: 'DELETE',
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    const gone = await tenant.write('DELETE', path, {});
    expect([ours.status, dry.status, table.status, gone.status]).toEqual([201, 200, 200, 200]);
    expect(shape(ours.object)).toEqual(shape(plain.body));
    // A finalizer of a controller of the host's makes another answer of a deletion.
    if (collection.endsWith('servicecidrs')) return;
    expect(gone.object.kind).toBe((plainGone.body as KubeObject).kind);
    expect(JSON.parse(dry.text).kind).toBe(gone.object.kind);
    const isStatus = gone.object.kind === 'Status';
    expect(JSON.parse(table.text).kind).toBe(isStatus ? 'Status' : 'Table');
    if (!isStatus) expect(gone.object).toEqual(ours.object);
    expect((await tenant.send(path)).status).toBe(404);
    const again = await tenant.write('DELETE', path, {});
    expect([again.status, again.object.reason]).toEqual([404, 'NotFound']);
  });
});
