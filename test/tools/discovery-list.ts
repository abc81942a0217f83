/**
 * Writes test/vectors/discovery.generated.json: what a kube-apiserver with default features serves, from a live one.
 *
 *   node test/tools/discovery-list.ts KUBECONFIG
 *
 * The table of kinds is tested against it without a control plane; test/integration/kinds.test.ts tests that it is true.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { type Fetch, fetchFrom } from './live.ts';

export const DISCOVERY_FILE: string = fileURLToPath(new URL('../vectors/discovery.generated.json', import.meta.url));

/** One line of discovery; `resource` has the subresource after a slash, as the server writes it. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Everything that a server serves, in a stable order, but for groups that custom resources define. */
export async function servedResources(fetch: Fetch): Promise<ServedResource[]> {
  const { groups } = await fetch('/apis');
  const versions = objects(groups).flatMap((group) =>
    objects(group['versions']).map((version) => String(version['groupVersion'])),
  );
  const custom = new Set(await customGroups(fetch));
  const served: ServedResource[] = [];
  for (const groupVersion of ['v1', ...versions]) {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    if (custom.has(group)) continue;
    const { resources } = await fetch(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    for (const { name, kind, namespaced, verbs } of objects(resources)) {
      served.push({
        group,
        version,
        resource: String(name),
        kind: String(kind),
        namespaced: namespaced === true,
        verbs: Array.isArray(verbs) ? verbs.map(String).sort() : [],
      });
    }
  }
  return served.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

async function customGroups(fetch: Fetch): Promise<string[]> {
  const { items } = await fetch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
  return objects(items).map((crd) => (isObject(crd['spec']) ? String(crd['spec']['group']) : ''));
}

function keyOf({ group, version, resource }: ServedResource): string {
  return `${group}/${version}/${resource}`;
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kubeconfig = process.argv[2];
  if (kubeconfig === undefined) throw new Error('usage: node test/tools/discovery-list.ts KUBECONFIG');
  const lines = (await servedResources(fetchFrom(kubeconfig))).map((served) => JSON.stringify(served));
  writeFileSync(DISCOVERY_FILE, `[\n${lines.join(',\n')}\n]\n`);
}
