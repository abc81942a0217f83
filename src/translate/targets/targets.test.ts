import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import { ApiError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { NotOurs, toTenant, toUpstream } from '../object.ts';
import { messageToTenant } from './message.ts';

const ACME = scopeOf('acme', { namespaces: ['default', 'web', 'a.b'] });

/** Maps a field of a kind in both directions, the object around it left out. */
function field(key: string, path: string, scope = ACME) {
  const at = kindAt(scope, key);
  const metadata = (namespace: string): JsonObject =>
    at.kind.namespaced
      ? { name: 'x', namespace }
      : { name: at.class === 'virtual' ? 'acme--x' : 'x', labels: { 'kubeveil.dev/tenant': 'acme' } };
  const put = (value: JsonValue): JsonObject =>
    path
      .split('.')
      .reduceRight<JsonValue>((below, step) => (step === '0' ? [below] : { [step]: below }), value) as JsonObject;
  const take = (object: JsonObject) =>
    path
      .split('.')
      .reduce<JsonValue>(
        (value, step) => (Array.isArray(value) ? value[0] : isObject(value) ? value[step] : null) ?? null,
        object,
      );
  return {
    up: (value: JsonValue) =>
      take(
        toUpstream(
          { ...put(value), metadata: { name: 'x', ...(at.kind.namespaced ? { namespace: 'web' } : {}) } },
          at,
          scope,
        ),
      ),
    down: (value: JsonValue) => take(toTenant({ ...put(value), metadata: metadata('acme--web') }, at, scope)),
  };
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

describe('subjects', () => {
  const subject = field('rbac.authorization.k8s.io/rolebindings', 'subjects.0');
  const clusterSubject = field('rbac.authorization.k8s.io/clusterrolebindings', 'subjects.0');
  const GROUP = 'rbac.authorization.k8s.io';

  it.each([
    [
      { kind: 'User', apiGroup: GROUP, name: 'alice' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/User/alice' },
    ],
    [
      { kind: 'Group', apiGroup: GROUP, name: 'system:masters' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/Group/system:masters' },
    ],
    [
      { kind: 'User', apiGroup: GROUP, name: 'a/b:c', namespace: 'web' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/User/a/b:c', namespace: 'acme--web' },
    ],
    [
      { kind: 'ServiceAccount', name: 'bot', namespace: 'web' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/ServiceAccount/web:bot' },
    ],
    [
      { kind: 'ServiceAccount', name: 'bot' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/ServiceAccount/:bot' },
    ],
    [
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/globex/User/x' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/User/kubeveil.inert/globex/User/x' },
    ],
    [
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil:globex' },
      { kind: 'User', apiGroup: GROUP, name: 'kubeveil.inert/acme/User/kubeveil:globex' },
    ],
  ])('%j is stored as %j', (tenant, upstream) => {
    expect(subject.up(copyOf(tenant))).toEqual(upstream);
    expect(subject.down(copyOf(upstream))).toEqual(tenant);
  });

  it('get their group from the server where the tenant gives none, as everywhere', () => {
    expect(subject.up({ kind: 'User', name: 'a' })).toEqual({ kind: 'User', name: 'kubeveil.inert/acme/User/a' });
  });

  it.each([{ kind: 'Robot', name: 'x' }, { kind: 'User' }, { kind: 'User', name: '' }, { name: 'x' }, 'x', 7])(
    '%j, which the host refuses in its own words, stays',
    (value) => {
      expect(subject.up(copyOf(value))).toEqual(value);
    },
  );

  it.each([
    [subject, { kind: 'ServiceAccount', name: 'a:b', namespace: 'web' }, 'subjects[0].name: Invalid value: "a:b"'],
    [
      subject,
      { kind: 'ServiceAccount', name: 'a', apiGroup: GROUP },
      'subjects[0].apiGroup: Unsupported value: "rbac.authorization.k8s.io": supported values: ""',
    ],
    [clusterSubject, { kind: 'ServiceAccount', name: 'a' }, 'subjects[0].namespace: Required value'],
  ])('of accounts are checked here, since the host sees a User', (mapper, value, message) => {
    expect(() => mapper.up(value)).toThrow(message);
    expect(clusterSubject.up({ kind: 'ServiceAccount', name: 'a', namespace: 'web' })).toMatchObject({ kind: 'User' });
  });

  it.each([
    { kind: 'User', name: 'alice' },
    { kind: 'Group', name: 'system:authenticated' },
    { kind: 'User', name: 'kubeveil.inert/globex/User/alice' },
    { kind: 'ServiceAccount', name: 'x', namespace: 'kube-system' },
  ])('%j, which no tenant can have written, hides the binding', (value) => {
    expect(() => subject.down(value)).toThrow(NotOurs);
  });
});

describe('namespace selectors', () => {
  const selector = field('networking.k8s.io/networkpolicies', 'spec.ingress.0.from.0.namespaceSelector');
  const OWN = { 'kubeveil.dev/tenant': 'acme' };

  it.each<[JsonValue, JsonValue]>([
    [{}, { matchLabels: OWN }],
    [null, null],
    [{ matchLabels: { team: 'a' } }, { matchLabels: { team: 'a', ...OWN } }],
    [
      { matchLabels: { 'kubernetes.io/metadata.name': 'db' } },
      { matchLabels: { 'kubernetes.io/metadata.name': 'acme--db', ...OWN } },
    ],
    [
      {
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['a', 'b'] },
          { key: 'x', operator: 'Exists' },
        ],
      },
      {
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['acme--a', 'acme--b'] },
          { key: 'x', operator: 'Exists' },
        ],
        matchLabels: OWN,
      },
    ],
  ])('%j is upstream %j', (tenant, upstream) => {
    expect(selector.up(copyOf(tenant))).toEqual(upstream);
    expect(selector.down(copyOf(upstream))).toEqual(tenant);
  });

  it('that are absent stay absent: they pick the pods of the own namespace', () => {
    const at = kindAt(ACME, 'networking.k8s.io/networkpolicies');
    const spec = { ingress: [{ from: [{ podSelector: {} }] }] };
    expect(toUpstream({ spec: copyOf(spec), metadata: { name: 'x', namespace: 'web' } }, at, ACME)['spec']).toEqual(
      spec,
    );
  });

  it.each([
    { matchLabels: { 'kubeveil.dev/tenant': 'globex' } },
    { matchExpressions: [{ key: 'kubeveil.dev/tenant', operator: 'Exists' }] },
  ])('%j is refused', (value) => {
    expect(() => selector.up(value)).toThrow(ApiError);
    expect(() => selector.up({ matchLabels: { 'example.com/tenant': 'globex' } })).not.toThrow();
  });

  it('of others hide the object', () => {
    expect(() => selector.down({ matchLabels: { 'kubeveil.dev/tenant': 'globex' } })).toThrow(NotOurs);
    expect(() => selector.down({ matchLabels: { ...OWN, 'kubernetes.io/metadata.name': 'globex--db' } })).toThrow(
      NotOurs,
    );
  });
});

describe('names of other kinds', () => {
  it('of published ones are the same, but never reach an object of a tenant', () => {
    const volume = field('/persistentvolumeclaims', 'spec.volumeName');
    expect(volume.up('pvc-1')).toBe('pvc-1');
    expect(volume.up('globex--data')).toBe('acme--globex--data');
    expect(volume.down('acme--globex--data')).toBe('globex--data');
    expect(() => volume.down('globex--data')).toThrow(NotOurs);
    expect(volume.down('pvc-1')).toBe('pvc-1');
  });

  it('with dashes of the host’s own are the same where no such tenant lives', () => {
    const known = field(
      '/persistentvolumeclaims',
      'spec.storageClassName',
      scopeOf('acme', { tenants: ['acme', 'globex'], published: ['gold--encrypted'] }),
    );
    expect(known.up('gold--encrypted')).toBe('gold--encrypted');
    expect(known.down('gold--encrypted')).toBe('gold--encrypted');
    expect(known.up('globex--x')).toBe('acme--globex--x');
  });

  it('of kinds that the tenant does not have are refused, but for what the host itself sets', () => {
    const restricted = scopeOf('acme', { profile: 'restricted' });
    const bundle = field('/pods', 'spec.volumes.0.projected.sources.0.clusterTrustBundle.name');
    expect(() => bundle.up('host-ca')).toThrow('Not found: "host-ca"');
    expect(bundle.up('')).toBe('');
    expect(field('/pods', 'spec.nodeName', restricted).up('n1')).toBe('n1');
  });
});

describe('references to objects', () => {
  const reference = field('/persistentvolumeclaims', 'spec.dataSourceRef');
  const role = field('rbac.authorization.k8s.io/rolebindings', 'roleRef');

  it.each<[JsonObject, JsonObject]>([
    [
      { kind: 'Pod', apiVersion: 'v1', name: 'acme--p', namespace: 'web' },
      { kind: 'Pod', apiVersion: 'v1', name: 'acme--p', namespace: 'acme--web' },
    ],
    [
      { apiGroup: 'stable.example.com', kind: 'Widget', name: 'w' },
      { apiGroup: 'acme--stable.example.com', kind: 'Widget', name: 'w' },
    ],
    [
      { kind: 'Namespace', name: 'web' },
      { kind: 'Namespace', name: 'acme--web' },
    ],
    [{ name: 'acme--x' }, { name: 'acme--x' }],
  ])('%j is upstream %j', (tenant, upstream) => {
    expect(reference.up(copyOf(tenant))).toEqual(upstream);
    expect(reference.down(copyOf(upstream))).toEqual(tenant);
  });

  it('to a ClusterRole keep the group that RBAC wants, and name nothing of the host', () => {
    const tenant = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const upstream = { ...tenant, name: 'acme--cluster-admin' };
    expect(role.up({ ...tenant })).toEqual(upstream);
    expect(role.down({ ...upstream })).toEqual(tenant);
    expect(role.up({ ...tenant, kind: 'Role' })).toEqual({ ...tenant, kind: 'Role' });
    expect(() => role.down({ ...tenant })).toThrow(NotOurs);
  });

  it('written by the host about a virtual kind show its own group', () => {
    const related = field('/events', 'related');
    expect(related.down({ apiVersion: 'virtual.kubeveil.dev/v1', kind: 'ClusterRole', name: 'acme--a' })).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name: 'a',
    });
  });

  it('to what is others’ hide the object', () => {
    expect(() => reference.down({ kind: 'Pod', name: 'p', namespace: 'globex--web' })).toThrow(NotOurs);
    expect(() => reference.down({ kind: 'Widget', apiGroup: 'globex--stable.example.com', name: 'p' })).toThrow(
      NotOurs,
    );
    expect(() => reference.down({ kind: 'Namespace', name: 'globex--web' })).toThrow(NotOurs);
  });
});

describe('messages', () => {
  // Its own: a scope knows the names that were sent up under it.
  const FRESH = scopeOf('acme', { namespaces: ['default', 'web', 'a.b'] });

  it.each([
    ['in namespace acme--web', 'in namespace web'],
    ['"acme--web/pod"', '"web/pod"'],
    ['system:serviceaccount:acme--web:bot is forbidden', 'system:serviceaccount:web:bot is forbidden'],
    ['db.acme--web.svc.cluster.local', 'db.web.svc.cluster.local'],
    ['stopped in acme--web.', 'stopped in web.'],
    ['acme--a.b and acme--a.b.c', 'a.b and a.b.c'],
    ['acme--web acme--web', 'web web'],
    ['acme--website', 'acme--website'],
    ['acme--web-1', 'acme--web-1'],
    ['not-acme--web', 'not-acme--web'],
    ['xacme--web', 'xacme--web'],
    ['acme--', 'acme--'],
    ['acme--acme--web', 'acme--acme--web'],
    ['globex--web', 'globex--web'],
    ['acme--unknown', 'acme--unknown'],
  ])('%j reads %j', (text, shown) => {
    expect(messageToTenant(text, FRESH)).toBe(shown);
  });

  it('use the groups of the tenant’s own CRDs', () => {
    const scope = { ...FRESH, isOwnGroup: (group: string) => group === 'stable.example.com' };
    const text = 'no matches for kind "Widget" in group "acme--stable.example.com", nor in acme--other.example.com';
    expect(messageToTenant(text, scope)).toBe(text.replace('acme--stable', 'stable'));
  });

  it('use the names that the object itself shows', () => {
    const at = kindAt(FRESH, '/events');
    const event = {
      metadata: { name: 'e', namespace: 'acme--web' },
      involvedObject: { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', name: 'acme--reader' },
      message: 'ClusterRole acme--reader is odd, acme--other too',
    };
    expect(toTenant(event, at, FRESH)).toMatchObject({ message: 'ClusterRole reader is odd, acme--other too' });
  });

  it('end soon for text made to be slow', () => {
    const text = `acme--${'a.'.repeat(200_000)}`;
    expect(messageToTenant(text, FRESH) === text).toBe(true);
    const many = 'acme--x'.repeat(50_000);
    expect(messageToTenant(many, FRESH) === many).toBe(true);
  });
});
