/**
 * What is kept, and which of it a request is about. On a node:
 *
 *   services, endpoint slices, nodes and the like   all of them, one watch for whoever asks on this node
 *   pods of this node, the Node object itself       by field selector, as the kubelet asks for them
 *   one ConfigMap, one Secret                       by name, while somebody watches it
 *
 * By a hub, for the node caches of all nodes: all pods in place of a node's, and nothing by name.
 *
 * Everything else is the API server's: other kinds and versions, pods of other nodes, lists of Secrets.
 */
import type { Selectable } from '../cache/asked.ts';
import type { Selection } from '../cache/changes.ts';
import type { ItemType } from '../cache/item.ts';
import type { ResourceInfo } from '../exchange.ts';
import { FieldSelector } from '../k8s/selector.ts';
import { apiVersionOf } from '../k8s/types.ts';

export interface KeptCollection {
  readonly path: string;
  /** Field selector; `''` for none. */
  readonly fields: string;
  readonly type: ItemType & Selectable;
  /** Who reads it: what is of this node alone, the node itself, and single objects never through a hub. */
  readonly as: 'node' | 'named' | 'cache';
  /** Whether it may be written down to go on from after a restart. */
  readonly stored: boolean;
  /** True where this request may begin to keep it. */
  readonly begins: boolean;
}

/** For whom it is kept: for one node (`''` for a program that belongs to none), or by a hub for all of them. */
export type Scope = { readonly node: string } | 'hub';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const SHARED: readonly Row[] = [
  { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true },
  { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', kind: 'EndpointSlice', namespaced: true },
  { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false },
  { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false },
  { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false },
  { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', kind: 'CSIDriver', namespaced: false },
];
const PODS: Row = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const BY_NAME: readonly Row[] = [
  { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true },
];
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** What of a request decides, besides its selectors. */
type Asked = Pick<ResourceInfo, 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

/** What is kept of this kind, if anything is. */
export function keptKind(info: Asked): Selectable | undefined {
  return [...SHARED, PODS, ...BY_NAME].find((row) => isOf(row, info));
}

/** Undefined for what is not kept. */
export function collectionOf(info: Asked, selection: Selection, scope: Scope): KeptCollection | undefined {
  if (!READS.has(info.verb) || info.subresource !== '') return undefined;
  // A GET tells no more than the object, and that it is not there is upstream's to say: it does not begin a collection.
  const begins = info.verb !== 'get';
  if (scope === 'hub') return inHub(info, begins);
  const nodeName = scope.node;
  if (isOf(PODS, info)) {
    const isOwn = info.verb === 'get' || selected(selection, 'spec.nodeName') === nodeName;
    return isOwn && nodeName !== '' ? { ...podsOf(nodeName), begins } : undefined;
  }
  const byName = BY_NAME.find((row) => isOf(row, info));
  if (byName !== undefined) {
    if (info.namespace === '' || info.name === '') return undefined;
    const fields = equal('metadata.name', info.name);
    const path = `/api/v1/namespaces/${encodeURIComponent(info.namespace)}/${info.resource}`;
    return { path, fields, type: typeOf(byName), as: 'named', stored: false, begins };
  }
  const row = SHARED.find((row) => isOf(row, info));
  if (row === undefined || (!row.namespaced && info.namespace !== '')) return undefined;
  if (row.resource === 'nodes' && info.name === nodeName && nodeName !== '') {
    return { ...whole(row), fields: equal('metadata.name', nodeName), as: 'node', begins: true };
  }
  // One namespace, or one object, is not worth all of them.
  return { ...whole(row), begins: begins && info.namespace === '' && info.name === '' };
}

/** Whole collections: selections of node caches are picked from them. */
function inHub(info: Asked, begins: boolean): KeptCollection | undefined {
  const row = [...SHARED, PODS].find((row) => isOf(row, info));
  if (row === undefined || (!row.namespaced && info.namespace !== '')) return undefined;
  return { ...whole(row), begins: begins && info.namespace === '' };
}

function isOf(row: Row, { group, version, resource }: Asked): boolean {
  return row.group === group && row.version === version && row.resource === resource;
}

/** Those that can be gone on from after a restart. */
export function storedCollections(scope: Scope): Omit<KeptCollection, 'begins'>[] {
  if (scope === 'hub') return [...SHARED, PODS].map(whole);
  const nodeName = scope.node;
  if (nodeName === '') return SHARED.map(whole);
  const node = SHARED.find(({ resource }) => resource === 'nodes') as Row;
  const own = { ...whole(node), fields: equal('metadata.name', nodeName), as: 'node' as const };
  return [...SHARED.map(whole), own, podsOf(nodeName)];
}

function podsOf(nodeName: string): Omit<KeptCollection, 'begins'> {
  return { ...whole(PODS), fields: equal('spec.nodeName', nodeName), as: 'node' };
}

function whole(row: Row): Omit<KeptCollection, 'begins'> {
  const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  return { path: `${root}/${row.resource}`, fields: '', type: typeOf(row), as: 'cache', stored: true };
}

function typeOf({ group, version, resource, kind, namespaced }: Row): KeptCollection['type'] {
  return { group, resource, namespaced, apiVersion: apiVersionOf(group, version), kind, isTypedInLists: false };
}

/** The one value that the selection asks of a field. */
function selected({ field }: Selection, name: string): string | undefined {
  return field.requirements.find((one) => one.field === name && one.operator === '=')?.value;
}

function equal(field: string, value: string): string {
  return new FieldSelector([{ field, operator: '=', value }]).toString();
}
