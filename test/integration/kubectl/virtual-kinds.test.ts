/**
 * Virtual kinds through the proxy, step by step beside the native ones on the plain API server: the same requests have
 * the same answers, and leave the same object with the same generation and owners of fields. Both tenants do it under the
 * same names, and nothing of it is a native object of the host.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isObject, type JsonValue } from '../../../src/k8s/types.ts';
import { useProduct } from '../../support/as-tenant.ts';
import { type RawAnswer, type RawRequest, requestOnce } from '../../support/http.ts';
import { makeTenant, type TenantFacts } from '../../support/product.ts';
import { collectionOf, sample, virtualVectors } from '../../support/virtual-vectors.ts';
import { virtualKinds } from '../../tools/virtual-crds.ts';

const { acme, globex } = useProduct();
const NAME = 'virtual-steps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

type Step = Pick<RawRequest, 'method' | 'path' | 'headers'> & { readonly body?: JsonValue };
type Send = (step: Step) => Promise<RawAnswer>;

const asked = (step: Step) => ({ ...step, body: step.body === undefined ? undefined : JSON.stringify(step.body) });
const direct: Send = (step) => {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  return requestOnce({ server, caPem, certPem: adminCertPem, keyPem: adminKeyPem, ...asked(step) });
};
let trusted: TenantFacts;
const asTrusted: Send = async (step) => {
  const { server, caPem } = inject('product');
  return await requestOnce({ server, caPem, certPem: trusted.certPem, keyPem: trusted.keyPem, ...asked(step) });
};
const asAcme: Send = ({ path, ...step }) => acme.send(path, asked({ path, ...step }));
const asGlobex: Send = ({ path, ...step }) => globex.send(path, asked({ path, ...step }));

const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  // Controllers of the host keep the status of native objects, and a finalizer on ServiceCIDRs; nobody keeps virtual ones.
  'status',
  'finalizers',
  // That a struct of Go is there is nobody's doing; that an object of a custom resource is there is somebody's.
  '.',
]);
const OBJECT_VALUE = /Invalid value: \{.*?\}(?=: )/g;

/** Without what is never twice the same, and what prints only where it is empty. */
function settled(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => !isControllers(item)).map(settled);
  if (!isObject(value)) return typeof value === 'string' ? settledText(value) : value;
  const kept = Object.entries(value).filter(([key, inner]) => {
    if (VOLATILE.has(key) || inner === '' || inner === null) return false;
    // Who asks for a certificate is another on each side.
    if ('signerName' in value && (key === 'username' || key === 'extra')) return false;
    return !(Array.isArray(inner) && inner.length === 0 && key !== 'rows' && key !== 'items');
  });
  const { spec, ...rest } = Object.fromEntries(kept.map(([key, inner]) => [key, settled(inner)]));
  return spec === undefined || JSON.stringify(spec) === '{}' ? rest : { ...rest, spec };
}

/** What controllers of the host find out of a native object, and who asked -> what stands there in a virtual cluster. */
const FOUND = new Map([
  ['False (ServiceNotFound)', 'Unknown'],
  ['False', '?'],
  // Who is the administrator, there.
  ['host-admin', 'admin'],
]);

/** Whole objects are shown as Go's internal types print them. */
function settledText(text: string): string {
  const settled = text.replace(/^\d+s$/, 'AGE').replaceAll(OBJECT_VALUE, 'Invalid value: {}');
  return FOUND.get(settled) ?? settled;
}

/** An entry of `managedFields` that a controller of the host made. */
function isControllers(item: JsonValue): boolean {
  return isObject(item) && (item['subresource'] === 'status' || item['manager'] === 'kube-controller-manager');
}

function seen({ status, headers, text }: RawAnswer): JsonValue {
  return { status, warning: [headers['warning'] ?? ''].flat(), body: settled(JSON.parse(text) as JsonValue) };
}

beforeAll(async () => {
  const controlPlane = inject('controlPlane');
  const file = join(controlPlane.workDir, 'product', 'trusted.kubeconfig');
  trusted = await makeTenant(controlPlane, 'virtual-trusted', file, 'trusted');
});

/** Kinds that only trusted tenants have. */
const TRUSTED_ONLY = new Set(
  virtualKinds().flatMap(({ classes, resource }) => (classes.baseline === 'virtual' ? [] : [resource])),
);

describe.each(virtualVectors())('$resource', (vector) => {
  const tenants = TRUSTED_ONLY.has(vector.resource) ? [asTrusted] : [asAcme, asGlobex, asTrusted];
  const collection = collectionOf(vector);
  const one = `${collection}/${vector.name ?? NAME}`;
  const selected = `${collection}?labelSelector=virtual%3Dsteps`;
  const patch = (type: string, body: JsonValue, query = ''): Step => ({
    method: 'PATCH',
    path: `${one}${query}`,
    headers: { 'content-type': `application/${type}` },
    body,
  });
  const object = (change = {}) => sample(vector, NAME, change);
  const labelled = object({ 'metadata.labels': { virtual: 'steps' } });
  const [field] = Object.keys(vector.valid);
  const change = vector.updates.find((update) => Object.keys(update).length === 1) ?? {};

  const steps: [string, Step][] = [
    ['create', { method: 'POST', path: `${collection}?fieldManager=maker`, body: labelled }],
    ['create again', { method: 'POST', path: collection, body: labelled }],
    ['get', { path: one }],
    ['get as a table', { path: one, headers: { accept: TABLE } }],
    ['list by label', { path: selected }],
    ['list as a table', { path: `${selected}&includeObject=Object`, headers: { accept: TABLE } }],
    [
      'unknown fields, refused',
      { method: 'POST', path: `${collection}?fieldValidation=Strict`, body: object({ frob: 1 }) },
    ],
    [
      'label by strategic merge',
      patch('strategic-merge-patch+json', { metadata: { labels: { a: '1' } } }, '?fieldManager=maker'),
    ],
    ['annotate by merge', patch('merge-patch+json', { metadata: { annotations: { a: '1' } } }, '?fieldManager=noter')],
    [
      'annotate by JSON patch',
      patch('json-patch+json', [{ op: 'add', path: '/metadata/annotations/b', value: '2' }], '?fieldManager=noter'),
    ],
    ['test by JSON patch, failing', patch('json-patch+json', [{ op: 'test', path: '/metadata/labels/a', value: '2' }])],
    ['nothing left by merge', patch('merge-patch+json', { [field ?? '']: null })],
    ['changed by merge', patch('merge-patch+json', change)],
    ['apply', patch('apply-patch+yaml', object({ 'metadata.labels': { applied: 'yes' } }), '?fieldManager=applier')],
    [
      'apply what another has',
      patch('apply-patch+yaml', object({ 'metadata.labels': { applied: 'no' } }), '?fieldManager=other'),
    ],
    [
      'apply what another has, by force',
      patch('apply-patch+yaml', object({ 'metadata.labels': { applied: 'no' } }), '?fieldManager=other&force=true'),
    ],
    ['put without a version', { method: 'PUT', path: `${one}?fieldManager=maker`, body: labelled }],
    ['get after all', { path: one }],
    ['get what is not there', { path: `${collection}/no-such` }],
    ['no such subresource', { path: `${one}/scale` }],
    ['delete the collection', { method: 'DELETE', path: selected }],
    // A controller of the host lets go of a native ServiceCIDR in its own time.
    ...(vector.resource === 'servicecidrs' ? [] : [['get after deletion', { path: one }] as [string, Step]]),
  ];

  afterAll(() => Promise.all([direct, ...tenants].map((send) => send({ method: 'DELETE', path: one }))));

  it.each(steps)('%s', async (_name, step) => {
    const [theirs, ...ours] = await Promise.all([direct, ...tenants].map((send) => send(step)));
    for (const answer of ours) expect(seen(answer)).toEqual(seen(theirs as RawAnswer));
  });

  if (!TRUSTED_ONLY.has(vector.resource)) return;
  it('is not there for a tenant that is not trusted', async () => {
    for (const path of [collection, one]) {
      expect((await asAcme({ path })).status).toBe(404);
      expect((await asTrusted({ path: collection })).status).toBe(200);
    }
    expect((await asAcme({ method: 'POST', path: collection, body: labelled })).status).toBe(404);
  });
});
