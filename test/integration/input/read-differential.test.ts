/**
 * The same lists and reads of kube-apiserver and of the product, for each way to say how new the answer has to be. An
 * informer is open on the kind, so the product answers from memory what may be answered so.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { bothSides, type Side } from '../../support/both-sides.ts';
import { jsonOf } from '../../support/http.ts';
import type { OpenWatch } from '../../support/open-watch.ts';
import { eventually } from '../../support/processes.ts';

const { facts } = useProduct();
const { plain, product } = bothSides(inject('controlPlane'), facts);
const RUN = `r${randomUUID().slice(0, 8)}`;
const ALL = '/api/v1/configmaps';
const ONE = '/api/v1/namespaces/default/configmaps';
const INFORMER = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

const newest = new Map<Side, string>();
let informer: OpenWatch;
beforeAll(async () => {
  informer = await product.watch(`${ALL}?${INFORMER}&timeoutSeconds=600`);
  await informer.until('initial-events-end');
  for (const side of [plain, product]) {
    for (const [name, color] of Object.entries({ c: 'red', a: 'red', b: 'blue', e: 'blue' })) {
      const metadata = {
        name: `${RUN}-${name}`,
        labels: { run: RUN, color },
        annotations: { big: '12345678901234567890' },
      };
      await side.did('POST', ONE, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { odd: 'é\u2028<&>' } });
    }
    await side.did('DELETE', `${ONE}/${RUN}-e`);
    const { metadata } = await side.did('PATCH', `${ONE}/${RUN}-b`, { data: { more: 'yes' } });
    newest.set(side, metadata.resourceVersion);
  }
  await informer.until('"more":"yes"');
});
afterAll(() => informer[Symbol.dispose]());

/** What must be the same: revisions, uids and times are each one's own. */
function shown(object: KubeObject): unknown {
  const { kind, apiVersion, data, metadata = {}, ...rest } = object;
  const { name, labels, annotations } = metadata;
  return {
    kind,
    apiVersion,
    data,
    name,
    labels,
    annotations,
    fields: Object.keys(metadata).sort(),
    rest: Object.keys(rest),
  };
}

async function said(side: Side, path: string): Promise<unknown> {
  const answer = await side.ask(path.replaceAll('NOW', newest.get(side) ?? ''));
  const document = jsonOf<KubeObject>(answer);
  const { status } = answer;
  const type = answer.headers['content-type'];
  if (status !== 200) {
    const { reason, code, details } = document;
    const message = String(document.message).replace(/\d+/g, 'N');
    return { status, type, reason, code, details, message, retryAfter: answer.headers['retry-after'] };
  }
  if (document.items === undefined) return { status, type, object: shown(document) };
  const { kind, apiVersion, items, metadata } = document;
  const isNewEnough = BigInt(metadata.resourceVersion) >= BigInt(newest.get(side) ?? '0');
  const fields = Object.keys(metadata).sort();
  return { status, type, kind, apiVersion, fields, isNewEnough, items: items.map(shown) };
}

async function same(path: string): Promise<unknown> {
  const [theirs, ours] = [await said(plain, path), await said(product, path)];
  expect({ path, answer: ours }).toEqual({ path, answer: theirs });
  return theirs;
}

const FRESHNESS = [
  '',
  'resourceVersion=0',
  'resourceVersion=0&limit=1',
  'resourceVersion=0&limit=1&resourceVersionMatch=NotOlderThan',
  'resourceVersion=NOW',
  'resourceVersion=NOW&limit=1',
  'resourceVersion=NOW&resourceVersionMatch=NotOlderThan',
  'resourceVersion=NOW&resourceVersionMatch=NotOlderThan&limit=1',
  'resourceVersion=NOW&resourceVersionMatch=Exact',
  'resourceVersion=0&resourceVersionMatch=Exact',
  'resourceVersion=9999999999',
  'resourceVersion=abc',
  'resourceVersionMatch=NotOlderThan',
];

describe('a list', () => {
  const SELECTIONS = [
    `run%3D${RUN}`,
    `run%3D${RUN},color%3Dred`,
    `run%3D${RUN},color+notin+(red,green)`,
    `run%3D${RUN}x`,
  ];

  it.each(FRESHNESS)('of all namespaces, %s', async (query) => {
    for (const selection of SELECTIONS) {
      await same(`${ALL}?fieldSelector=metadata.namespace%3Ddefault&labelSelector=${selection}&${query}`);
    }
    await same(`${ALL}?fieldSelector=metadata.namespace%3Ddefault,metadata.name%3D${RUN}-a&${query}`);
  });

  it.each(FRESHNESS)('of one namespace, %s', async (query) => {
    for (const selection of SELECTIONS) await same(`${ONE}?labelSelector=${selection}&${query}`);
  });

  it.each(['yaml', 'vnd.kubernetes.protobuf'])('from memory, in %s, is what upstream gives', async (media) => {
    const accept = `application/${media}`;
    const list = async (query: string): Promise<string> => {
      const { text, status } = await product.ask(`${ALL}?labelSelector=run%3D${RUN}&${query}`, { headers: { accept } });
      expect(status).toBe(200);
      return text;
    };
    // Until nothing happens between the two.
    await eventually('memory and upstream are at one revision', async () => {
      const { metadata } = jsonOf<KubeObject>(await product.ask(`${ALL}?resourceVersion=0`));
      const memory = await list('resourceVersion=0');
      const exact = await list(`resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
      return memory === exact;
    });
  });
});

describe('one object', () => {
  it.each(['', 'resourceVersion=0', 'resourceVersion=NOW', 'resourceVersion=9999999999', 'resourceVersion=abc'])(
    'that is there, and one that is not, %s',
    async (query) => {
      await same(`${ONE}/${RUN}-b?${query}`);
      await same(`${ONE}/${RUN}-e?${query}`);
    },
  );

  it('is not another namespace’s of that name', async () => {
    expect(await same(`/api/v1/namespaces/kube-public/configmaps/${RUN}-b?resourceVersion=0`)).toMatchObject({
      status: 404,
    });
  });
});
