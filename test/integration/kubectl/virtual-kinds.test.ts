/**
 * Virtual kinds through the proxy, step by step beside the native ones on the plain API server: the same requests have
 * the same answers, and leave the same object with the same generation and owners of fields. Both tenants do it under the
 * same names, and nothing of it is a native object of the host.
 */
import { afterAll, describe, expect, inject, it } from 'vitest';
import { isObject, type JsonValue } from '../../../src/k8s/types.ts';
import { useProduct } from '../../support/as-tenant.ts';
import { type RawAnswer, type RawRequest, requestOnce } from '../../support/http.ts';
import { sample, virtualVectors } from '../../support/virtual-vectors.ts';

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
const asAcme: Send = ({ path, ...step }) => acme.send(path, asked({ path, ...step }));
const asGlobex: Send = ({ path, ...step }) => globex.send(path, asked({ path, ...step }));

const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'remainingItemCount',
  'status',
  'f:status',
]);

/** Without what is never twice the same, and what prints only where it is empty. */
function settled(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return value.filter((item) => !isObject(item) || item['subresource'] !== 'status').map(settled);
  if (!isObject(value)) return typeof value === 'string' ? value.replace(/^\d+s$/, 'AGE') : value;
  const kept = Object.entries(value).filter(([key, inner]) => {
    // Controllers of the host own the status of native objects; nobody owns one of virtual objects.
    if (VOLATILE.has(key)) return false;
    return !(Array.isArray(inner) && inner.length === 0 && key !== 'rows' && key !== 'items') && inner !== '';
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, settled(inner)]));
}

function seen({ status, headers, text }: RawAnswer): JsonValue {
  return { status, warning: [headers['warning'] ?? ''].flat(), body: settled(JSON.parse(text) as JsonValue) };
}

describe.each(virtualVectors())('$resource', (vector) => {
  const collection = `/apis/${vector.group}/v1/${vector.resource}`;
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
    ['get after deletion', { path: one }],
  ];

  afterAll(() => Promise.all([direct, asAcme, asGlobex].map((send) => send({ method: 'DELETE', path: one }))));

  it.each(steps)('%s', async (_name, step) => {
    const [theirs, ours, others] = await Promise.all([direct(step), asAcme(step), asGlobex(step)]);
    expect(seen(ours)).toEqual(seen(theirs));
    expect(seen(others)).toEqual(seen(theirs));
  });
});
