/**
 * Metadata alone, as garbage collectors and backups watch kinds: kube-apiserver and the product are asked for the same of
 * a built-in kind and of custom ones, while an informer is open on each, so that the product answers from memory.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { bothSides, type Side } from '../../support/both-sides.ts';
import { jsonOf } from '../../support/http.ts';
import type { OpenWatch } from '../../support/open-watch.ts';
import { eventually } from '../../support/processes.ts';

const { facts } = useProduct();
const { plain, product } = bothSides(inject('controlPlane'), facts);
const RUN = `m${randomUUID().slice(0, 8)}`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const INFORMER = `watch=true&${INITIAL}&allowWatchBookmarks=true`;
const as = (kind: string, media = 'json', version = 'v1'): string =>
  `application/${media};as=${kind};g=meta.k8s.io;v=${version}`;
const ONE = 'PartialObjectMetadata';
const ALL = 'PartialObjectMetadataList';

const opened: OpenWatch[] = [];
afterEach(() => {
  for (const watch of opened.splice(0)) watch[Symbol.dispose]();
});

interface Collection {
  readonly all: string;
  /** Where objects are made. */
  readonly own: string;
  readonly type: { readonly apiVersion: string; readonly kind: string };
}

const MAPS: Collection = {
  all: '/api/v1/configmaps',
  own: '/api/v1/namespaces/default/configmaps',
  type: { apiVersion: 'v1', kind: 'ConfigMap' },
};

async function define(scope: 'Namespaced' | 'Cluster'): Promise<Collection> {
  const group = `${RUN}.${scope.toLowerCase()}.example.com`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope,
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  const all = `/apis/${group}/v1/things`;
  for (const side of [plain, product]) {
    await side.send('POST', DEFINITIONS, definition);
    await eventually('the kind is served', async () => (await side.ask(all)).status === 200);
  }
  const own = scope === 'Cluster' ? all : `/apis/${group}/v1/namespaces/default/things`;
  return { all, own, type: { apiVersion: `${group}/v1`, kind: 'Thing' } };
}

function object({ type }: Collection, name: string, more: KubeObject = {}): KubeObject {
  const metadata = {
    name: `${RUN}-${name}`,
    labels: { run: RUN },
    annotations: { big: '12345678901234567890', odd: 'é\u2028<&>' },
    ...more,
  };
  return { ...type, metadata, data: { not: 'shown' } };
}

/** Revisions, uids and times are each one's own. */
function shown({ metadata = {}, ...rest }: KubeObject): unknown {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  return { ...rest, name, namespace, labels, annotations, finalizers, fields: Object.keys(metadata).sort() };
}

async function list(side: Side, path: string, accept: string): Promise<unknown> {
  const answer = await side.ask(path, { headers: { accept } });
  const { items, metadata, ...rest } = jsonOf<KubeObject>(answer);
  const type = answer.headers['content-type'];
  return { status: answer.status, type, ...rest, fields: Object.keys(metadata).sort(), items: items.map(shown) };
}

async function sameAsPlain(path: string, ask: (side: Side) => Promise<unknown>): Promise<void> {
  const [theirs, ours] = [await ask(plain), await ask(product)];
  expect({ path, answer: ours }).toEqual({ path, answer: theirs });
}

/** What is the tenant's is the host's too: only the plain side's own is compared. */
const PICKED = `labelSelector=run%3D${RUN}`;
const PICKED_OF = (kind: string): string =>
  kind === 'ConfigMap' ? `${PICKED}&fieldSelector=metadata.namespace%3Ddefault` : PICKED;

async function informerOn(side: Side, { all, type }: Collection, accept?: string): Promise<OpenWatch> {
  const watch = await side.watch(`${all}?${INFORMER}&${PICKED_OF(type.kind)}`, accept === undefined ? {} : { accept });
  opened.push(watch);
  await watch.until('initial-events-end');
  return watch;
}

function told({ text }: OpenWatch): unknown[] {
  const events = text.trim().split('\n');
  return events.flatMap((line): unknown[] => {
    const { type, object }: KubeObject = JSON.parse(line);
    const { annotations } = object.metadata;
    if (type !== 'BOOKMARK') return [{ type, ...(shown(object) as object) }];
    // When a bookmark comes that ends nothing is nobody's promise.
    return annotations === undefined ? [] : [{ type, kind: object.kind, apiVersion: object.apiVersion, annotations }];
  });
}

describe.each([
  ['ConfigMaps', () => MAPS],
  ['a namespaced custom kind', () => define('Namespaced')],
  ['a cluster-scoped custom kind', () => define('Cluster')],
] as const)('metadata alone of %s', (_what, collectionOf) => {
  it('is told and listed as by the API server', async () => {
    const collection = await collectionOf();
    const { all, own, type } = collection;
    const picked = PICKED_OF(type.kind);
    const watches: OpenWatch[] = [];
    for (const side of [plain, product]) {
      await side.send('POST', own, object(collection, 'before', { finalizers: ['example.com/kept'] }));
      const whole = await informerOn(side, collection);
      const partial = await informerOn(side, collection, as(ONE));
      await side.send('POST', own, object(collection, 'after'));
      await side.send('PATCH', `${own}/${RUN}-before`, { metadata: { labels: { more: 'yes' }, finalizers: null } });
      await side.send('POST', own, object(collection, 'end'));
      for (const watch of [whole, partial]) await watch.until(`"name":"${RUN}-end"`);
      watches.push(partial);
    }
    const [theirs, ours] = watches.map(told);
    expect(ours).toEqual(theirs);

    for (const version of ['v1', 'v1beta1']) {
      for (const query of [`${picked}&resourceVersion=0`, picked]) {
        await sameAsPlain(query, (side) => list(side, `${all}?${query}`, as(ALL, 'json', version)));
        await sameAsPlain(query, (side) => list(side, `${own}?${query}`, as(ALL, 'json', version)));
      }
      await sameAsPlain('one', async (side) => {
        const path = `${own}/${RUN}-after?resourceVersion=0`;
        return shown(jsonOf(await side.ask(path, { headers: { accept: as(ONE, 'json', version) } })));
      });
    }

    for (const media of ['json', 'vnd.kubernetes.protobuf']) {
      const textOf = async (query: string): Promise<string> => {
        const headers = { accept: as(ALL, media) };
        const { text, status } = await product.ask(`${all}?${picked}&${query}`, { headers });
        expect(status).toBe(200);
        return text;
      };
      // Until nothing happens between the two.
      await eventually(`memory and upstream are at one revision, as ${media}`, async () => {
        const { metadata } = jsonOf<KubeObject>(await product.ask(`${all}?resourceVersion=0`));
        const memory = await textOf('resourceVersion=0');
        const exact = await textOf(`resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
        return media === 'json' ? sameJson(memory, exact) : memory === exact;
      });
    }
  });
});

/** The order of fields is not the same everywhere: custom resources are sorted upstream, their metadata alone is not. */
function sameJson(a: string, b: string): boolean {
  return expect.objectContaining(JSON.parse(a)).asymmetricMatch(JSON.parse(b));
}
