/** What both sides have before anything is compared: a namespace, a few objects in it, two kinds of one's own. */
import type { JsonObject } from '../../../src/k8s/types.ts';
import type { Ask, Scenario } from './scenario.ts';

const NAMESPACE = 'differ';
export const GROUP = 'differ.example.com';
const RBAC = 'rbac.authorization.k8s.io';

/** One kind of each way in which the product keeps kinds. */
export interface Kind {
  readonly title: string;
  readonly collection: string;
  /** The older spelling of a watch. */
  readonly watchPath: string;
  /** The namespaced ones' collection over all namespaces. */
  readonly across?: string;
  object(name: string, more?: JsonObject): JsonObject;
  /** A valid change, as a merge patch. */
  readonly change: JsonObject;
}

function namespaced(root: string, resource: string): Pick<Kind, 'collection' | 'watchPath' | 'across'> {
  return {
    collection: `${root}/namespaces/${NAMESPACE}/${resource}`,
    watchPath: `${root}/watch/namespaces/${NAMESPACE}/${resource}`,
    across: `${root}/${resource}`,
  };
}

function clusterScoped(root: string, resource: string): Pick<Kind, 'collection' | 'watchPath'> {
  return { collection: `${root}/${resource}`, watchPath: `${root}/watch/${resource}` };
}

function maker(apiVersion: string, kind: string, defaults: JsonObject): Kind['object'] {
  return (name, { metadata = {}, ...more } = {}) => ({
    apiVersion,
    kind,
    metadata: { name, ...(metadata as JsonObject) },
    ...defaults,
    ...more,
  });
}

export const CONFIG_MAPS: Kind = {
  title: 'a namespaced kind',
  ...namespaced('/api/v1', 'configmaps'),
  object: maker('v1', 'ConfigMap', { data: { a: 'b' } }),
  change: { data: { a: 'c' } },
};
export const CLUSTER_ROLES: Kind = {
  title: 'a virtual kind',
  ...clusterScoped(`/apis/${RBAC}/v1`, 'clusterroles'),
  object: maker(`${RBAC}/v1`, 'ClusterRole', {
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  }),
  change: { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }] },
};
export const GADGETS: Kind = {
  title: 'a namespaced custom kind',
  ...namespaced(`/apis/${GROUP}/v1`, 'gadgets'),
  object: maker(`${GROUP}/v1`, 'Gadget', { spec: { size: 1 } }),
  change: { spec: { size: 2 } },
};
export const GIZMOS: Kind = {
  title: 'a cluster-scoped custom kind',
  ...clusterScoped(`/apis/${GROUP}/v1`, 'gizmos'),
  object: maker(`${GROUP}/v1`, 'Gizmo', { spec: { size: 1 } }),
  change: { spec: { size: 2 } },
};
export const NAMESPACES: Kind = {
  title: 'namespaces',
  ...clusterScoped('/api/v1', 'namespaces'),
  object: maker('v1', 'Namespace', {}),
  change: { metadata: { annotations: { 'example.com/changed': 'yes' } } },
};
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const KINDS: readonly Kind[] = [CONFIG_MAPS, CLUSTER_ROLES, GADGETS, GIZMOS, NAMESPACES];

export function post(path: string, object: JsonObject, more: Partial<Ask> = {}): Ask {
  return { method: 'POST', path, body: JSON.stringify(object), ...more };
}

export function send(method: string, path: string, type: string, body: string | Uint8Array): Ask {
  return { method, path, body, headers: { 'content-type': type } };
}

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

const LABELS: JsonObject = { metadata: { labels: { differ: '@side@', tier: 'one' } } };

/** Each is expected to be answered alike; the first on a fresh pair of sides makes everything. */
export const SET_UP: Scenario = {
  title: 'set up',
  asks: [
    post(NAMESPACES.collection, NAMESPACES.object(NAMESPACE, LABELS)),
    post(CRDS, definition('gadgets', 'Gadget', 'Namespaced')),
    post(CRDS, definition('gizmos', 'Gizmo', 'Cluster')),
    ...[CONFIG_MAPS, CLUSTER_ROLES].flatMap(seeds),
  ],
};

/** What needs the custom kinds to be served. */
export const SET_UP_CUSTOM: Scenario = { title: 'set up of custom kinds', asks: [GADGETS, GIZMOS].flatMap(seeds) };

function seeds({ collection, object }: Kind): Ask[] {
  return [
    post(collection, object('seed-a', LABELS)),
    post(collection, object('seed-b', { metadata: { labels: { differ: '@side@', tier: 'two' } } })),
    post(collection, object('seed-c', { metadata: { labels: { differ: '@side@' } } })),
  ];
}

function definition(plural: string, kind: string, scope: string): JsonObject {
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    selectableFields: [{ jsonPath: '.spec.color' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', minimum: 0 },
              replicas: { type: 'integer', default: 1 },
              color: { type: 'string' },
              tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            },
          },
          status: { type: 'object', properties: { replicas: { type: 'integer' }, said: { type: 'string' } } },
        },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames: [] },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  };
}
