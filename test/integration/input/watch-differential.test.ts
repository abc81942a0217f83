/**
 * The same watch of kube-apiserver and of the product, while the same happens to the same objects: the same events, in
 * the same order. Several of each are open at once, as informers are, so that the product's come from one shared watch.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { bothSides, type Side } from '../../support/both-sides.ts';
import type { OpenWatch } from '../../support/open-watch.ts';

const { facts } = useProduct();
const controlPlane = inject('controlPlane');
const MAPS = '/api/v1/configmaps';
const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

const opened: OpenWatch[] = [];
afterEach(() => {
  for (const watch of opened.splice(0)) watch[Symbol.dispose]();
});

/**
 * Type, name, labels and data of each event; its revision as the number of the deed that gave it. When a bookmark comes
 * that ends nothing is nobody's promise.
 */
function told({ text }: OpenWatch, { revisions }: Side): unknown[] {
  const events: KubeObject[] = text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return events.flatMap(({ type, object }): unknown[] => {
    const { name, labels, resourceVersion, annotations } = object.metadata;
    if (type === 'BOOKMARK' && annotations === undefined) return [];
    if (type === 'BOOKMARK') return [{ type, kind: object.kind, apiVersion: object.apiVersion, annotations }];
    const deed = revisions.indexOf(resourceVersion);
    return [{ type, name, labels, data: object.data, phase: object.status?.phase, deed }];
  });
}

/** Watches both, does the same to both, and compares what was told until the object named `end` came. */
async function compare(
  collection: string,
  queries: readonly string[],
  before: (side: Side, run: string) => Promise<void>,
  after: (side: Side, run: string) => Promise<void>,
): Promise<void> {
  const run = `w${randomUUID().slice(0, 8)}`;
  const { plain, product } = bothSides(controlPlane, facts);
  const results = await Promise.all(
    [plain, product].map(async (side) => {
      await before(side, run);
      const { metadata } = await side.send('GET', `${collection}?limit=1`);
      const watches: OpenWatch[] = [];
      for (const query of queries) {
        const selector = encodeURIComponent(`run=${run}`);
        const more = query.replaceAll('NOW', metadata.resourceVersion);
        const label = more.includes('labelSelector=')
          ? more.replace('labelSelector=', `labelSelector=${selector},`)
          : `${more}&labelSelector=${selector}`;
        watches.push(await side.watch(`${collection}?watch=true&fieldSelector=metadata.namespace%3Ddefault${label}`));
        opened.push(...watches.slice(-1));
      }
      await after(side, run);
      await Promise.all(watches.map((watch) => watch.until(`"name":"${run}-end"`)));
      return watches.map((watch, at) => ({ query: queries[at], told: told(watch, side) }));
    }),
  );
  expect(results[1]).toEqual(results[0]);
}

function map(run: string, name: string, color: string, data = ''): KubeObject {
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: `${run}-${name}`, labels: { run, color } },
    data: { data },
  };
}
const MAPS_IN_DEFAULT = '/api/v1/namespaces/default/configmaps';

async function mapsBefore(side: Side, run: string): Promise<void> {
  for (const [name, color] of [
    ['old-b', 'blue'],
    ['old-a', 'red'],
  ] as const) {
    await side.did('POST', MAPS_IN_DEFAULT, map(run, name, color));
  }
}

async function mapsAfter(side: Side, run: string): Promise<void> {
  const at = (name: string): string => `${MAPS_IN_DEFAULT}/${run}-${name}`;
  await side.did('POST', MAPS_IN_DEFAULT, map(run, 'a', 'red'));
  await side.did('POST', MAPS_IN_DEFAULT, map(run, 'b', 'blue'));
  await side.did('PATCH', at('a'), { metadata: { labels: { color: 'blue' } } });
  await side.did('PATCH', at('b'), { metadata: { labels: { color: 'red' } }, data: { data: 'x' } });
  await side.did('PATCH', at('b'), { data: { data: 'y' } });
  await side.did('PATCH', at('old-b'), { metadata: { labels: { color: null } } });
  await side.did('DELETE', at('a'));
  await side.did('DELETE', at('b'));
  await side.did('DELETE', at('old-a'));
  await side.did('POST', MAPS_IN_DEFAULT, map(run, 'end', 'end'));
}

describe('a watch of all namespaces tells what the API server tells', () => {
  it.each([
    ['of informers, from "now"', `&${INITIAL}&allowWatchBookmarks=true`],
    ['of informers, from whatever is known', `&resourceVersion=0&${INITIAL}&allowWatchBookmarks=true`],
    ['of informers that come back', `&resourceVersion=NOW&${INITIAL}&allowWatchBookmarks=true`],
    ['without bookmarks', `&${INITIAL}`],
    ['of old clients, from "now"', ''],
    ['of old clients, from "now", with bookmarks', '&allowWatchBookmarks=true'],
    ['of old clients, from whatever is known', '&resourceVersion=0'],
    ['from a revision', '&resourceVersion=NOW'],
    ['of changes alone', '&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan'],
    ['of changes alone, from "now"', '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan'],
  ])('%s', async (_what, query) => {
    const selections = ['', 'color+in+(red,end)', 'color+notin+(red)', 'color'].map((selection) =>
      selection === '' ? '' : `&labelSelector=${selection}`,
    );
    await compare(
      MAPS,
      selections.map((selection) => `${query}${selection}`),
      mapsBefore,
      mapsAfter,
    );
  });

  it('by fields of a pod', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = (run: string, name: string) => ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: `${run}-${name}`, labels: { run } },
      spec: { schedulerName: 'nobody', containers: [{ name: 'a', image: 'a' }] },
    });
    const fields = [
      'status.phase=Pending',
      'status.phase!=Running',
      'spec.nodeName=',
      'spec.restartPolicy=Always',
      'spec.schedulerName=nobody',
      'spec.serviceAccountName=default',
      'spec.hostNetwork=false',
      'status.podIP=',
      'status.nominatedNodeName=',
    ];
    await compare(
      '/api/v1/pods',
      fields.map((field) => `%2C${encodeURIComponent(field)}&${INITIAL}`),
      async (side, run) => void (await side.did('POST', pods, pod(run, 'old'))),
      async (side, run) => {
        // Of a pod that is nobody's to run, only the host can say how it is.
        const { plain } = bothSides(controlPlane, facts);
        const namespace = side.isPlain ? 'default' : 'acme--default';
        for (const status of [
          { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }] },
          { phase: 'Pending', podIP: null, podIPs: null },
        ]) {
          const path = `/api/v1/namespaces/${namespace}/pods/${run}-old/status`;
          side.revisions.push((await plain.send('PATCH', path, { status })).metadata.resourceVersion);
        }
        await side.did('POST', pods, pod(run, 'end'));
      },
    );
  });
});
