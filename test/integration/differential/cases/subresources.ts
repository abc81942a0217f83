/** What hangs below objects, and the kinds whose bodies are of another kind than their URL. */
import type { JsonObject } from '../../../../src/k8s/types.ts';
import { APPLY, GADGETS, JSON_PATCH, MERGE, post, STRATEGIC, send } from '../fixtures.ts';
import type { Ask, Scenario } from '../scenario.ts';

const NAMESPACE = '/api/v1/namespaces/differ';
const PODS = `${NAMESPACE}/pods`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/differ/deployments';

export function subresources(): Scenario[] {
  return [pods(), scales(), customs(), tokens(), roleRefs(), namespaceParts()];
}

function put(path: string, object: JsonObject): Ask {
  return { method: 'PUT', path, body: JSON.stringify(object) };
}

/** No scheduler looks at it, so that nobody changes it meanwhile. */
const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'parted' },
  spec: {
    schedulerName: 'nobody',
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'example.com/x', resources: { requests: { cpu: '10m' } } }],
  },
};

function pods(): Scenario {
  const eviction = (more: JsonObject = {}): JsonObject => ({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'parted' },
    ...more,
  });
  return {
    title: 'pods',
    asks: [
      post(PODS, POD),
      { path: `${PODS}/parted/status` },
      { path: `${PODS}/parted/ephemeralcontainers` },
      send(
        'PATCH',
        `${PODS}/parted/ephemeralcontainers`,
        STRATEGIC,
        '{"spec":{"ephemeralContainers":[{"name":"debug","image":"x"}]}}',
      ),
      send(
        'PATCH',
        `${PODS}/parted/ephemeralcontainers`,
        STRATEGIC,
        '{"spec":{"containers":[{"name":"main","image":"y"}]}}',
      ),
      { path: `${PODS}/parted/resize` },
      send(
        'PATCH',
        `${PODS}/parted/resize`,
        STRATEGIC,
        '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"20m"}}}]}}',
      ),
      send('PATCH', `${PODS}/parted/resize`, STRATEGIC, '{"spec":{"containers":[{"name":"main","image":"z"}]}}'),
      send('PATCH', `${PODS}/parted`, STRATEGIC, '{"spec":{"containers":[{"$patch":"delete","name":"main"}]}}'),
      send(
        'PATCH',
        `${PODS}/parted`,
        STRATEGIC,
        '{"spec":{"tolerations":[{"key":"node.kubernetes.io/k","operator":"Exists"}]}}',
      ),
      post(`${PODS}/parted/eviction`, eviction({ deleteOptions: { dryRun: ['All'] } })),
      post(`${PODS}/parted/eviction`, eviction({ metadata: { name: 'other' } })),
      post(`${PODS}/parted/eviction`, eviction({ kind: 'Nothing' })),
      post(`${PODS}/parted/eviction`, eviction({ apiVersion: 'v1' })),
      post(`${PODS}/missing-one/eviction`, eviction({ metadata: { name: 'missing-one' } })),
      post(`${PODS}/parted/eviction`, { ...eviction(), deleteOptions: { preconditions: { uid: 'other' } } }),
      { method: 'DELETE', path: `${PODS}/parted?gracePeriodSeconds=0` },
    ],
  };
}

function scales(): Scenario {
  const deployment: JsonObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'scaled' },
    spec: {
      replicas: 0,
      paused: true,
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
    },
  };
  const scale = (more: JsonObject = {}): JsonObject => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'scaled', namespace: 'differ' },
    spec: { replicas: 0 },
    ...more,
  });
  const path = `${DEPLOYMENTS}/scaled/scale`;
  return {
    title: 'scales',
    asks: [
      post(`${DEPLOYMENTS}?dryRun=All`, deployment),
      post(`${DEPLOYMENTS}?dryRun=All`, { ...deployment, spec: {} }),
      { path: `${DEPLOYMENTS}/missing-one/scale` },
      put(path.replace('scaled', 'missing-one'), scale({ metadata: { name: 'missing-one' } })),
      put(path, scale({ kind: 'Nothing' })),
      put(path, scale({ metadata: { name: 'other' } })),
      put(path, scale({ spec: { replicas: -1 } })),
      send('PATCH', path, JSON_PATCH, '[{"op":"test","path":"/spec/replicas","value":7}]'),
    ],
  };
}

function customs(): Scenario {
  const { collection, object } = GADGETS;
  const path = `${collection}/parted`;
  return {
    title: 'parts of custom resources',
    asks: [
      post(collection, object('parted', { metadata: { labels: { differ: '@side@' } } })),
      { path: `${path}/status` },
      put(`${path}/status`, object('parted', { status: { said: 'put', replicas: 3 } })),
      put(`${path}/status`, object('parted', { spec: { size: 9 }, status: { said: 5 } })),
      send('PATCH', `${path}/status`, MERGE, '{"status":{"said":"merged"},"spec":{"size":8}}'),
      send('PATCH', `${path}/status`, STRATEGIC, '{"status":{}}'),
      send(
        'PATCH',
        `${path}/status?fieldManager=s`,
        APPLY,
        JSON.stringify({
          apiVersion: 'differ.example.com/v1',
          kind: 'Gadget',
          metadata: { name: 'parted' },
          status: { said: 'applied' },
        }),
      ),
      { path: `${path}/scale` },
      put(`${path}/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'parted', namespace: 'differ' },
        spec: { replicas: 4 },
      }),
      send('PATCH', `${path}/scale`, MERGE, '{"spec":{"replicas":2}}'),
      send('PATCH', `${path}/scale`, MERGE, '{"spec":{"replicas":-2}}'),
      send('PATCH', path, MERGE, '{"spec":{"size":-1}}'),
      send('PATCH', path, MERGE, '{"spec":{"size":"x"}}'),
      send('PATCH', path, MERGE, '{"spec":{"tags":["a","a"]}}'),
      { path: path.replace('/v1/', '/v1beta1/') },
    ],
  };
}

function tokens(): Scenario {
  const path = `${NAMESPACE}/serviceaccounts/tokened/token`;
  const ask = (spec: JsonObject): Ask =>
    post(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  return {
    title: 'tokens',
    asks: [
      post(`${NAMESPACE}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'tokened' } }),
      ask({ audiences: [], expirationSeconds: 10 }),
      ask({ audiences: [], expirationSeconds: 4294967297 }),
      ask({ audiences: [], boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'missing-one' } }),
      ask({ audiences: [], boundObjectRef: { kind: 'Nothing', apiVersion: 'v1', name: 'x' } }),
      post(path.replace('tokened', 'missing-one'), {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [] },
      }),
      post(path, { apiVersion: 'v1', kind: 'Pod' }),
    ],
  };
}

function roleRefs(): Scenario {
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/differ/rolebindings';
  const binding = (roleRef: JsonObject | string): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'bound' },
    roleRef,
    subjects: [{ kind: 'User', name: 'alice' }],
  });
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  return {
    title: 'role bindings',
    asks: [
      post(path, binding(role)),
      send('PATCH', `${path}/bound`, MERGE, '{"roleRef":{"kind":"Nothing"}}'),
      send('PATCH', `${path}/bound`, MERGE, '{"roleRef":{"name":"edit"}}'),
      send('PATCH', `${path}/bound`, MERGE, '{"roleRef":null}'),
      send('PATCH', `${path}/bound`, STRATEGIC, '{"roleRef":{"kind":"Nothing"}}'),
      send('PATCH', `${path}/bound`, JSON_PATCH, '[{"op":"replace","path":"/roleRef/kind","value":"Nothing"}]'),
      send('PATCH', `${path}/bound`, JSON_PATCH, '[{"op":"replace","path":"/roleRef/kind","value":5}]'),
      send('PATCH', `${path}/bound?fieldManager=a`, APPLY, JSON.stringify(binding({ ...role, kind: 'Nothing' }))),
      put(`${path}/bound`, binding({ ...role, name: 'edit' })),
      post(path, binding({ ...role, kind: 'Nothing' })),
      post(path, binding('x')),
      send('PATCH', `${path}/bound`, MERGE, '{"subjects":[{"kind":"Nothing","name":"x"}]}'),
      send('PATCH', `${path}/bound`, MERGE, '{"subjects":[{"kind":"ServiceAccount","name":"x"}]}'),
      put(`${path}/made-by-put`, { ...binding(role), metadata: { name: 'made-by-put' } }),
    ],
  };
}

function namespaceParts(): Scenario {
  const path = '/api/v1/namespaces/parted';
  const object = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'parted', labels: { differ: '@side@' }, annotations: { z: 'y' } },
  };
  return {
    title: 'parts of namespaces',
    asks: [
      post('/api/v1/namespaces', object),
      { path: `${path}/status` },
      send('PATCH', path, STRATEGIC, '{"metadata":{"annotations":{"$patch":"replace","a":"b"}}}'),
      send('PATCH', path, STRATEGIC, '{"metadata":{"labels":{"$patch":"delete"}}}'),
      send('PATCH', path, MERGE, '{"metadata":{"labels":null}}'),
      send('PATCH', path, MERGE, '{"metadata":{"annotations":null}}'),
      send('PATCH', path, JSON_PATCH, '[{"op":"remove","path":"/metadata/labels"}]'),
      send('PATCH', path, JSON_PATCH, '[{"op":"add","path":"/metadata/annotations","value":{"c":"d"}}]'),
      send('PATCH', path, MERGE, '{"spec":{"finalizers":[]}}'),
      send(
        'PATCH',
        `${path}?fieldManager=a`,
        APPLY,
        JSON.stringify({ ...object, metadata: { name: 'parted', labels: { e: 'f' } } }),
      ),
      { method: 'DELETE', path: '/api/v1/namespaces/kube-system' },
      { method: 'DELETE', path: '/api/v1/namespaces/default' },
      { method: 'DELETE', path: '/api/v1/namespaces/missing-one' },
    ],
  };
}
