import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { toTenant, toUpstream } from './object.ts';

const ACME = scopeOf('acme');
const POD = kindAt(ACME, '/pods');
const NAMESPACE = kindAt(ACME, '/namespaces');
const CLUSTER_ROLE = kindAt(ACME, 'rbac.authorization.k8s.io/clusterroles');

function podWith(field: string, value: JsonValue, namespace: string): JsonObject {
  return { metadata: { name: 'p', namespace, [field]: value } };
}

function upOf(field: string, value: JsonValue): JsonValue | undefined {
  return (toUpstream(podWith(field, value, 'web'), POD, ACME)['metadata'] as JsonObject)[field];
}

function downOf(field: string, value: JsonValue): JsonValue | undefined {
  return (toTenant(podWith(field, value, 'acme--web'), POD, ACME)['metadata'] as JsonObject)[field];
}

describe('owners', () => {
  const own = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    name,
    uid: 'u',
    controller: true,
  });

  it.each([
    [own('apps/v1', 'ReplicaSet', 'acme--r'), own('apps/v1', 'ReplicaSet', 'acme--r')],
    [own('apps/v1beta9', 'ReplicaSet', 'r'), own('apps/v1beta9', 'ReplicaSet', 'r')],
    [own('v1', 'Namespace', 'web'), own('v1', 'Namespace', 'acme--web')],
    [own('stable.example.com/v1', 'Widget', 'w'), own('acme--stable.example.com/v1', 'Widget', 'w')],
    [own('stable.example.com/v1', 'Gadget', 'acme--g'), own('acme--stable.example.com/v1', 'Gadget', 'acme--g')],
    [own('gone.example.com/v1', 'Gone', 'x'), own('acme--gone.example.com/v1', 'Gone', 'x')],
    [
      own('rbac.authorization.k8s.io/v1', 'ClusterRole', 'a:b'),
      own('virtual.kubeveil.dev/v1', 'ClusterRole', 'acme--x--a03ab'),
    ],
    [
      own('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a.b.c'),
      own('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a.acme--b.c'),
    ],
  ])('%j is upstream %j', (tenant, upstream) => {
    expect(upOf('ownerReferences', [{ ...tenant }])).toEqual([upstream]);
    expect(downOf('ownerReferences', [{ ...upstream }])).toEqual([tenant]);
  });

  it.each([
    own('cert-manager.io/v1', 'Certificate', 'x'),
    own('globex--stable.example.com/v1', 'Widget', 'w'),
    own('v1', 'Namespace', 'globex--web'),
    own('v1', 'Namespace', 'kube-system'),
    own('virtual.kubeveil.dev/v1', 'Unheard', 'acme--x'),
    own('v1', 'Node', 'n1'),
    own('storage.k8s.io/v1', 'StorageClass', 'fast'),
    own('apiregistration.k8s.io/v1', 'APIService', 'v1.apps'),
  ])('%j, which is not the tenant’s, is left out of the view', (owner) => {
    const pod = own('v1', 'Pod', 'p');
    expect(downOf('ownerReferences', [{ ...owner }, { ...pod }])).toEqual([pod]);
    expect(downOf('ownerReferences', [{ ...owner }])).toBeUndefined();
  });
});

describe('managers', () => {
  const entry = (apiVersion: string, fieldsV1: JsonObject): JsonObject => ({
    manager: 'kubectl',
    operation: 'Apply',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1,
  });

  it('name the group as the tenant does, and nothing of ours', () => {
    const fields = (labels: JsonObject) => ({
      'f:metadata': { 'f:labels': labels, 'f:annotations': { 'f:kubeveil.dev/x': {} } },
    });
    const upstream = {
      metadata: {
        name: 'acme--a',
        labels: { 'kubeveil.dev/tenant': 'acme' },
        managedFields: [
          entry('virtual.kubeveil.dev/v1', fields({ 'f:kubeveil.dev/tenant': {}, 'f:app': {} })),
          entry('rbac.authorization.k8s.io/v1', {}),
        ],
      },
    };
    expect(toTenant(upstream, CLUSTER_ROLE, ACME)['metadata']).toEqual({
      name: 'a',
      managedFields: [entry('rbac.authorization.k8s.io/v1', { 'f:metadata': { 'f:labels': { 'f:app': {} } } })],
    });
  });

  it('drop a set of labels that held only ours, and finalizers of ours', () => {
    const metadata = {
      'f:labels': { '.': {}, 'f:kubeveil.dev/tenant': {} },
      'f:finalizers': { '.': {}, 'v:"kubeveil.dev/x"': {}, 'v:"a.b/c"': {} },
    };
    const upstream = {
      metadata: {
        name: 'acme--a',
        labels: { 'kubeveil.dev/tenant': 'acme' },
        managedFields: [entry('v1', { 'f:metadata': metadata })],
      },
    };
    expect(toTenant(upstream, NAMESPACE, ACME)['metadata']).toEqual({
      name: 'a',
      managedFields: [entry('v1', { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a.b/c"': {} } } })],
    });
  });

  it('drop metadata in which only ours was', () => {
    const fieldsV1 = {
      'f:metadata': { 'f:labels': { 'f:kubeveil.dev/tenant': {} } },
      'f:rules': {},
    };
    const managedFields = [entry('virtual.kubeveil.dev/v1', fieldsV1)];
    const metadata = { name: 'acme--a', labels: { 'kubeveil.dev/tenant': 'acme' }, managedFields };
    expect(toTenant({ metadata }, CLUSTER_ROLE, ACME)['metadata']).toEqual({
      name: 'a',
      managedFields: [entry('rbac.authorization.k8s.io/v1', { 'f:rules': {} })],
    });
  });

  it('map keys that hold a reference', () => {
    const quota = kindAt(ACME, '/resourcequotas');
    const hard = (group: string) => ({ 'f:spec': { 'f:hard': { [`f:count/foos.${group}`]: {}, 'f:pods': {} } } });
    const object = (namespace: string, group: string) => ({
      metadata: { name: 'q', namespace, managedFields: [entry('v1', hard(group))] },
    });
    const upstream = toUpstream(object('web', 'stable.example.com'), quota, ACME);
    expect(upstream).toEqual(object('acme--web', 'acme--stable.example.com'));
    expect(toTenant(upstream, quota, ACME)).toEqual(object('web', 'stable.example.com'));
  });

  it('map keys of list items that hold a reference', () => {
    const at = {
      ...POD,
      kind: {
        ...POD.kind,
        refs: [
          { path: 'spec.from[].namespace', target: { is: 'namespace' as const } },
          { path: 'spec.all[]', target: { is: 'namespace' as const } },
        ],
      },
    };
    const fields = (name: string) => ({
      'f:spec': {
        'f:from': { [`k:{"name":"a","namespace":"${name}"}`]: { '.': {}, 'f:namespace': {} } },
        'f:all': { [`v:"${name}"`]: {} },
      },
    });
    const object = (namespace: string, name: string) => ({
      metadata: { name: 'p', namespace, managedFields: [entry('v1', fields(name))] },
    });
    const upstream = toUpstream(object('web', 'db'), at, ACME);
    expect(upstream).toEqual(object('acme--web', 'acme--db'));
    expect(toTenant(upstream, at, ACME)).toEqual(object('web', 'db'));
  });

  it('hide the label inside namespace selectors', () => {
    const at = kindAt(ACME, 'networking.k8s.io/networkpolicies');
    const selector = { 'f:matchLabels': { 'f:kubeveil.dev/tenant': {} }, 'f:matchExpressions': {} };
    const fieldsV1 = {
      'f:spec': { 'f:ingress': { 'i:0': { 'f:from': { 'i:0': { 'f:namespaceSelector': selector } } } } },
    };
    const object = {
      metadata: { name: 'n', namespace: 'acme--web', managedFields: [entry('networking.k8s.io/v1', fieldsV1)] },
    };
    expect(JSON.stringify(toTenant(object, at, ACME))).not.toContain('kubeveil');
  });

  it('leave out entries of foreign groups and without a version', () => {
    expect(downOf('managedFields', [entry('globex--x.y/v1', {}), { manager: 'x' }, entry('v1', {})])).toEqual([
      entry('v1', {}),
    ]);
  });

  it('may be cleared by a writer', () => {
    expect(upOf('managedFields', [{}])).toEqual([{}]);
    expect(upOf('managedFields', [])).toEqual([]);
  });
});

describe('the generation', () => {
  const metadata = (name: string): JsonObject => ({
    name,
    generation: 3,
    labels: { 'kubeveil.dev/tenant': 'acme' },
  });
  it('of a virtual kind is not shown where the native kind has none', () => {
    for (const kind of ['clusterroles', 'clusterrolebindings']) {
      const at = kindAt(ACME, `rbac.authorization.k8s.io/${kind}`);
      expect(toTenant({ metadata: metadata('acme--a') }, at, ACME)['metadata']).toEqual({ name: 'a' });
    }
  });
  it('of other kinds stays', () => {
    const crd = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');
    expect(toTenant({ metadata: metadata('a.acme--b.c') }, crd, ACME)['metadata']).toEqual({
      name: 'a.b.c',
      generation: 3,
    });
    expect(downOf('generation', 3)).toBe(3);
  });
});

describe('names', () => {
  it('of namespaces are checked by their rule before they are prefixed', () => {
    const named = (name: string) => toUpstream({ metadata: { name } }, NAMESPACE, ACME);
    expect(() => named('-web')).toThrow(
      /^Namespace "-web" is invalid: metadata.name: Invalid value: "-web": a lowercase RFC 1123 label/,
    );
    expect(named('web')).toMatchObject({ metadata: { name: 'acme--web' } });
  });

  it('that the server makes get the prefix too', () => {
    const upstream = toUpstream({ metadata: { generateName: 'run-' } }, NAMESPACE, ACME);
    expect(upstream).toMatchObject({ metadata: { generateName: 'acme--run-' } });
    (upstream['metadata'] as JsonObject)['name'] = 'acme--run-x7k2p';
    expect(toTenant(upstream, NAMESPACE, ACME)['metadata']).toEqual({ generateName: 'run-', name: 'run-x7k2p' });
    expect(upOf('generateName', 'run-')).toBe('run-');
  });

  it('that the server makes for virtual kinds are one encoding, base and all', () => {
    const upstream = toUpstream({ metadata: { generateName: 'a:b-' } }, CLUSTER_ROLE, ACME)['metadata'] as JsonObject;
    upstream['name'] = `${upstream['generateName']}x7k2p`;
    expect(toTenant({ metadata: upstream }, CLUSTER_ROLE, ACME)['metadata']).toEqual({
      generateName: 'a:b-',
      name: 'a:b-x7k2p',
    });
  });
});
