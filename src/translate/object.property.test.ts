/** Round trips over every kind of the table: objects with a value at every reference, and hostile text everywhere else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindsOf, scopeOf } from '../../test/support/translate-scope.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { ownSide } from '../kinds/at-version.ts';
import type { KindAtVersion, ResourceKey, Target } from '../kinds/kind.ts';
import { namingOf } from './names-check.ts';
import { toTenant, toUpstream } from './object.ts';
import { isHostSet, referencedKind } from './targets/name.ts';
import { type Node, treeOf } from './tree.ts';

const ACME = scopeOf('acme', { profile: 'trusted' });
const GLOBEX = scopeOf('globex', { profile: 'trusted' });
/** Kinds that tenants write: published ones are the host's, and what the proxy answers never goes upstream. */
const WRITTEN = kindsOf(ACME)
  .map(ownSide)
  .filter(({ class: is, kind }) => is !== 'published' && kind.answeredBy !== 'proxy');

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
/** Text of users that looks like names of ours or of others, and characters that need care. */
const userText = fc.oneof(
  fc.string(),
  label.map((name) => `acme--${name}`),
  label.map((name) => `see globex--${name} and acme--web/x`),
  fc.constantFrom('kubeveil:acme', 'kubeveil.inert/acme/User/x', '{"a":"acme--b"}', '\u2028\u0000é', '__proto__'),
);
const group = fc.constantFrom('stable.example.com', 'apps', '', '*', 'other.example.org');
const userKey = fc.constantFrom('remark', 'constructor', '__proto__', 'acme--x', 'k8s.example.com/x', 'toString');
const userMap = fc.array(fc.tuple(userKey, userText)).map((entries) => Object.fromEntries(entries) as JsonObject);

const reference: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({ kind: fc.constant('Pod'), apiVersion: fc.constant('v1'), name: label, namespace: label }),
  fc.record({ kind: fc.constant('Widget'), apiVersion: fc.constant('stable.example.com/v1'), name: label }),
  fc.record({ kind: fc.constant('ClusterRole'), apiGroup: fc.constant('rbac.authorization.k8s.io'), name: segment() }),
  fc.record({ kind: fc.constant('Namespace'), apiVersion: fc.constant('v1'), name: label, uid: userText }),
  fc.record({ kind: fc.constant('Unheard'), apiVersion: fc.constant('none.example.com/v9'), name: userText }),
  fc.record({ name: userText }),
);
const subject: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('User', 'Group'),
    apiGroup: fc.constant('rbac.authorization.k8s.io'),
    name: userText.filter((name) => name !== ''),
  }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: label, namespace: label }),
);
const selector: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constant({}),
  fc.record({ matchLabels: fc.record({ 'kubernetes.io/metadata.name': label, team: label }) }),
  fc.record({
    matchExpressions: fc.array(
      fc.record({
        key: fc.constantFrom('kubernetes.io/metadata.name', 'team'),
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(label),
      }),
    ),
  }),
);

function segment(): fc.Arbitrary<string> {
  return fc.oneof(label, fc.constantFrom('system:node', 'Pod Reader', 'x--y', 'é'));
}

function ofTarget(target: Target): fc.Arbitrary<JsonValue> {
  switch (target.is) {
    case 'namespace':
    case 'name':
      return label;
    case 'group':
      return group;
    case 'apiVersion':
      return group.filter((name) => name !== '*').map((name) => apiVersionOf(name, 'v1'));
    case 'crdName':
      return label.map((plural) => `${plural}.stable.example.com`);
    case 'objectReference':
      return reference;
    case 'namespaceSelector':
      return selector;
    case 'subject':
      return subject;
    case 'message':
      return fc.constant('all is well');
    case 'special':
      return ofSpecial(target.name);
  }
}

function ofSpecial(name: string): fc.Arbitrary<JsonValue> {
  switch (name) {
    case 'eventObject':
      return reference;
    case 'claimClass':
      return fc.oneof(label, fc.constant(''));
    case 'volumeClass':
      return label;
    case 'globalDefault':
      return fc.boolean();
    case 'extendedResource':
      return fc.constant('');
    case 'storageParameters':
      return fc.record({
        type: userText,
        secretNamespace: label,
        'x-secret-namespace': fc.constant(`\${pvc.namespace}`),
      });
    case 'quotaScope':
      return fc.record({
        scopeName: fc.constantFrom('PriorityClass', 'VolumeAttributesClass', 'BestEffort'),
        values: fc.array(label),
      });
    case 'claimTemplateMetadata':
      return fc.record({
        annotations: fc.record({ 'volume.beta.kubernetes.io/storage-class': label, note: userText }),
      });
    case 'templateMetadata':
      return fc.record({ labels: fc.constant({ app: 'acme--x' }), annotations: userMap });
    case 'crdGroup':
      return fc.constantFrom('stable.example.com', 'acme--x.example.com');
    case 'crdNames':
      return fc.record({
        kind: fc.constant('Foo'),
        singular: fc.constantFrom('foo', 'acme--foo'),
        shortNames: fc.subarray(['fo', 'acme--x', 'po']),
      });
    case 'crdConversion':
      return fc.constantFrom<JsonValue>(
        { strategy: 'None' },
        {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { service: { namespace: 'acme--web', name: 'hook', port: 443 } },
            conversionReviewVersions: ['v1'],
          },
        },
      );
    case 'quotaKey':
      return fc.constantFrom(
        'pods',
        'count/widgets.stable.example.com',
        'count/deployments.apps',
        'gold.storageclass.storage.k8s.io/requests.storage',
      );
    case 'tokenAudiences':
      return fc.uniqueArray(fc.constantFrom('vault', 'https://x.example.com', 'kubeveil.dev/other'), { minLength: 1 });
    default:
      return fc.constant({ note: 'plain' });
  }
}

/** What a tenant does not have it cannot name. */
function isOffered(of: ResourceKey): boolean {
  return referencedKind(of, ACME) !== undefined || isHostSet(of);
}

/** A value for every place of a tree, with text of users beside. */
function ofNode(node: Node): fc.Arbitrary<JsonValue> {
  if (node.target !== undefined && node.fields.size === 0) return ofTarget(node.target);
  if (node.items !== undefined) return fc.array(ofNode(node.items), { minLength: 1, maxLength: 2 });
  if (node.keys !== undefined) return ofTarget(node.keys).map((key) => ({ [String(key)]: '5', 'requests.cpu': '1' }));
  if (node.values !== undefined) return fc.dictionary(label, ofNode(node.values), { minKeys: 1, maxKeys: 2 });
  const offered = [...node.fields].filter(([, { target }]) => target?.is !== 'name' || isOffered(target.of));
  const fields = Object.fromEntries(offered.map(([field, below]) => [field, ofNode(below)]));
  return fc.tuple(fc.record(fields), userMap).map(([known, extra]) => ({ ...extra, ...known }) as JsonObject);
}

function ofKind(at: KindAtVersion): fc.Arbitrary<JsonObject> {
  const { references } = treeOf(at.kind, '');
  const tree: Node = { fields: new Map([...references.fields].filter(([field]) => field !== 'metadata')) };
  const name =
    namingOf(at) === 'crdName'
      ? label.map((plural) => `${plural}.stable.example.com`)
      : at.kind.kind === 'IPAddress'
        ? fc.ipV4()
        : label;
  const metadata = fc.record({
    name,
    ...(at.kind.namespaced ? { namespace: label } : {}),
    labels: fc.constant({ app: 'acme--app' }),
    annotations: userMap.filter((map) => Object.keys(map).length > 0),
    finalizers: fc.constant(['example.com/wait']),
    ownerReferences: fc.constantFrom<JsonValue>(
      [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'acme--rs', uid: 'u' }],
      [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'system:x', uid: 'u' }],
      [{ apiVersion: 'stable.example.com/v1', kind: 'Gadget', name: 'acme--g', uid: 'u' }],
    ),
  });
  const body = fc.record({ data: userMap, metadata });
  return fc.tuple(ofNode(tree), body).map(([fields, rest]) => ({
    ...(fields as JsonObject),
    ...(rest as unknown as JsonObject),
    apiVersion: apiVersionOf(at.kind.group, at.version),
    kind: at.kind.kind,
  }));
}

function copyOf<T extends JsonValue>(value: T): T {
  // Through text: parsed documents never share a part, and neither may these.
  return JSON.parse(JSON.stringify(value)) as T;
}

describe.each(WRITTEN.map((at) => [`${at.kind.group}/${at.version} ${at.kind.kind}`, at] as const))(
  '%s',
  (_name, at) => {
    it('comes back as it was', () => {
      fc.assert(
        fc.property(ofKind(at), (object) => {
          const upstream = toUpstream(copyOf(object), at, ACME);
          expect(toTenant(upstream, at, ACME)).toEqual(object);
        }),
        { numRuns: 30 },
      );
    });

    it('is the tenant’s own upstream and nobody else’s', () => {
      fc.assert(
        fc.property(ofKind(at), (object) => {
          const upstream = toUpstream(copyOf(object), at, ACME);
          const other = toUpstream(copyOf(object), globexAt(at), GLOBEX);
          expect(placeOf(upstream, at)).not.toEqual(placeOf(other, globexAt(at)));
          expect(() => toTenant(copyOf(upstream), globexAt(at), GLOBEX)).toThrow('globex');
          expect(() => toTenant(copyOf(other), at, ACME)).toThrow('acme');
        }),
        { numRuns: 10 },
      );
    });
  },
);

function globexAt(at: KindAtVersion): KindAtVersion {
  const found = GLOBEX.kinds.byResource(GLOBEX.tenant, at.kind.group, at.version, at.kind.resource);
  if (found === undefined) throw new Error(`no ${at.kind.kind} for globex`);
  return ownSide(found);
}

/** Where upstream keeps it: two objects of one place would be one. */
function placeOf(object: JsonObject, at: KindAtVersion): JsonValue[] {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return [at.upstreamRoot, metadata['namespace'] ?? '', metadata['name'] ?? ''];
}

describe('text of users', () => {
  const at = WRITTEN.find(({ kind }) => kind.kind === 'ConfigMap') as KindAtVersion;
  it('passes byte for byte whatever it looks like', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), userText), (data) => {
        const object = { metadata: { name: 'x', namespace: 'web' }, data: data as JsonObject };
        const upstream = toUpstream(copyOf(object as JsonObject), at, ACME);
        expect(JSON.stringify(upstream['data'])).toBe(JSON.stringify(object.data));
        expect(JSON.stringify(toTenant(upstream, at, ACME)['data'])).toBe(JSON.stringify(object.data));
      }),
    );
  });
});
