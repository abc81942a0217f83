/** What stands in objects about classes and volumes, in both directions: fields, annotations, quotas, default marks. */
import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { ownSide } from '../../kinds/at-version.ts';
import { toTenant, toUpstream } from '../object.ts';
import { NeedsLiveObject, patchToUpstream } from '../patch.ts';
import type { Scope } from '../scope.ts';

const PUBLISHED = ['standard', 'house'];
const TRUSTED = scopeOf('acme', { profile: 'trusted', published: PUBLISHED });
const BASELINE = scopeOf('acme', { published: PUBLISHED });

function trip(key: string, object: JsonObject, scope: Scope = TRUSTED): { up: JsonObject; down: JsonObject } {
  const at = ownSide(kindAt(scope, key));
  const up = toUpstream(JSON.parse(JSON.stringify(object)), at, scope);
  return { up: JSON.parse(JSON.stringify(up)), down: toTenant(up, at, scope) };
}

function patched(key: string, patch: JsonObject[] | JsonObject, type: string): unknown {
  return patchToUpstream(structuredClone(patch), `application/${type}`, ownSide(kindAt(TRUSTED, key)), TRUSTED);
}

const meta = (more: JsonObject = {}): JsonObject => ({ name: 'x', namespace: 'web', ...more });

describe('the class of a claim', () => {
  it.each([
    ['standard', 'standard', 'standard'],
    ['fast', 'acme--fast', 'acme--fast'],
    ['', 'acme---none', ''],
  ])('%j is upstream %j of a trusted tenant, %j of another', (name, trusted, baseline) => {
    for (const [scope, upstream] of [
      [TRUSTED, trusted],
      [BASELINE, baseline],
    ] as const) {
      const claim = { metadata: meta(), spec: { storageClassName: name } };
      const { up, down } = trip('/persistentvolumeclaims', claim, scope);
      expect(up['spec']).toEqual({ storageClassName: upstream });
      expect(down).toEqual(claim);
    }
  });
  it('that it leaves out stays out', () => {
    const claim = { metadata: meta(), spec: {} };
    expect(trip('/persistentvolumeclaims', claim).up['spec']).toEqual({});
  });
  it('is mapped in templates, and in the annotation', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'fast', other: 'fast' };
    const template = { metadata: { annotations }, spec: { storageClassName: '' } };
    const { up, down } = trip('apps/statefulsets', { metadata: meta(), spec: { volumeClaimTemplates: [template] } });
    expect(up).toMatchObject({
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'acme--fast', other: 'fast' } },
            spec: { storageClassName: 'acme---none' },
          },
        ],
      },
    });
    expect(down).toMatchObject({ spec: { volumeClaimTemplates: [template] } });
    const claim = { metadata: meta({ annotations }), spec: {} };
    expect(trip('/persistentvolumeclaims', claim, BASELINE).up).toMatchObject({
      metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'acme--fast' } },
    });
  });
});

describe('the class of a volume', () => {
  it.each([
    ['standard', 'acme--standard'],
    ['fast', 'acme--fast'],
    ['', 'acme---none'],
  ])('%j is upstream always the tenant’s: %j', (name, upstream) => {
    const volume = { metadata: { name: 'x' }, spec: { storageClassName: name } };
    const { up, down } = trip('/persistentvolumes', volume);
    expect(up).toMatchObject({ metadata: { name: 'acme--x' }, spec: { storageClassName: upstream } });
    // As in Kubernetes, a volume of the empty class says nothing of it.
    expect(down).toEqual(name === '' ? { ...volume, spec: {} } : volume);
  });
  it('is made where it is left out, and left out again', () => {
    const volume = { metadata: { name: 'x' }, spec: {} };
    const { up, down } = trip('/persistentvolumes', volume);
    expect(up['spec']).toEqual({ storageClassName: 'acme---none' });
    expect(down).toEqual(volume);
  });
  it('is the tenant’s in the annotation too', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'standard' };
    const { up } = trip('/persistentvolumes', { metadata: { name: 'x', annotations }, spec: {} });
    expect(up).toMatchObject({ metadata: { annotations: { [Object.keys(annotations)[0] ?? '']: 'acme--standard' } } });
  });
});

describe('other places that choose a class', () => {
  it('are the annotation of an Ingress', () => {
    for (const [name, upstream] of [
      ['house', 'house'],
      ['nginx', 'acme--nginx'],
    ] as const) {
      const ingress = { metadata: meta({ annotations: { 'kubernetes.io/ingress.class': name } }) };
      const { up, down } = trip('networking.k8s.io/ingresses', ingress, BASELINE);
      expect(up).toMatchObject({ metadata: { annotations: { 'kubernetes.io/ingress.class': upstream } } });
      expect(down).toEqual(ingress);
    }
  });
  it('are the scopes of a quota', () => {
    const expression = (scopeName: string) => ({ scopeName, operator: 'In', values: ['high', 'house'] });
    const quota = {
      metadata: meta(),
      spec: { scopeSelector: { matchExpressions: [expression('PriorityClass'), expression('BestEffort')] } },
    };
    const { up, down } = trip('/resourcequotas', quota);
    expect(up).toMatchObject({
      spec: {
        scopeSelector: { matchExpressions: [{ values: ['acme--high', 'house'] }, { values: ['high', 'house'] }] },
      },
    });
    expect(down).toEqual(quota);
  });
  it('are priority and runtime of a pod, whether the tenant holds classes or not', () => {
    for (const scope of [TRUSTED, BASELINE]) {
      const pod = { metadata: meta(), spec: { priorityClassName: 'system-node-critical', runtimeClassName: 'house' } };
      const { up, down } = trip('/pods', pod, scope);
      expect(up['spec']).toEqual({ priorityClassName: 'acme--system-node-critical', runtimeClassName: 'house' });
      expect(down).toEqual(pod);
    }
  });
});

describe('default marks', () => {
  it.each([
    ['storage.k8s.io/storageclasses', 'storageclass'],
    ['networking.k8s.io/ingressclasses', 'ingressclass'],
  ])('of %s are kept under another key', (key, word) => {
    const mark = `${word}.kubernetes.io/is-default-class`;
    const kept = `${word}.kubeveil.dev/is-default-class`;
    const object = { metadata: { name: 'x', annotations: { [mark]: 'true', a: 'b' } } };
    const { up, down } = trip(key, object);
    expect((up['metadata'] as JsonObject)['annotations']).toEqual({ [kept]: 'true', a: 'b' });
    expect(down).toEqual(object);
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
      for (const value of type.startsWith('apply') ? ['true'] : ['true', null])
        expect(patched(key, { metadata: { annotations: { [mark]: value } } }, type)).toMatchObject({
          metadata: { annotations: { [kept]: value } },
        });
    }
    const path = (of: string) => `/metadata/annotations/${of.replace('/', '~1')}`;
    for (const op of ['add', 'test']) {
      expect(patched(key, [{ op, path: path(mark), value: 'true' }], 'json-patch+json')).toEqual([
        { op, path: path(kept), value: 'true' },
      ]);
    }
    expect(patched(key, [{ op: 'remove', path: path(mark) }], 'json-patch+json')).toEqual([
      { op: 'remove', path: path(kept) },
    ]);
  });

  const PRIORITIES = 'scheduling.k8s.io/priorityclasses';
  it('of a PriorityClass are kept in a hidden annotation', () => {
    const object = { metadata: { name: 'x' }, value: 5, globalDefault: true };
    const { up, down } = trip(PRIORITIES, object);
    expect(up).toMatchObject({
      globalDefault: false,
      metadata: { annotations: { 'kubeveil.dev/global-default': 'true' } },
    });
    expect(down).toEqual(object);
    const plain = { metadata: { name: 'x' }, value: 5, globalDefault: false };
    expect(trip(PRIORITIES, plain)).toMatchObject({ up: { metadata: { name: 'acme--x' } }, down: plain });
  });
  it.each<[type: string, patch: JsonObject | JsonObject[]]>([
    ['merge-patch+json', { globalDefault: true }],
    ['strategic-merge-patch+json', { globalDefault: false }],
    ['json-patch+json', [{ op: 'replace', path: '/globalDefault', value: true }]],
    ['merge-patch+json', { metadata: { annotations: null } }],
    ['json-patch+json', [{ op: 'remove', path: '/metadata/annotations' }]],
  ])('of a PriorityClass are patched by whoever has the object: %s %j', (type, patch) => {
    expect(() => patched(PRIORITIES, patch, type)).toThrow(NeedsLiveObject);
    expect(() => patched(PRIORITIES, { description: 'a' }, 'merge-patch+json')).not.toThrow();
  });
});

describe('what acts on everybody', () => {
  it('is no extended resource of a DeviceClass', () => {
    const named = (extendedResourceName: string) => ({ metadata: { name: 'x' }, spec: { extendedResourceName } });
    expect(() => trip('resource.k8s.io/deviceclasses', named('example.com/gpu'))).toThrow(
      /extendedResourceName: Forbidden/,
    );
    expect(() => trip('resource.k8s.io/deviceclasses', { metadata: { name: 'x' }, spec: {} })).not.toThrow();
  });
  it('is no secret of another namespace in a StorageClass', () => {
    const parameters = {
      'csi.storage.k8s.io/provisioner-secret-namespace': 'web',
      'csi.storage.k8s.io/node-stage-secret-namespace': `\${pvc.namespace}`,
      adminSecretNamespace: 'web',
      type: 'web',
    };
    const { up, down } = trip('storage.k8s.io/storageclasses', { metadata: { name: 'x' }, parameters });
    expect(up['parameters']).toEqual({
      ...parameters,
      'csi.storage.k8s.io/provisioner-secret-namespace': 'acme--web',
      adminSecretNamespace: 'acme--web',
    });
    expect(down).toMatchObject({ parameters });
  });
});
