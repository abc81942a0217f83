import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { toTenant, toUpstream } from './object.ts';
import { patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const REFUSAL = 'Forbidden: the cluster chooses the volume of a claim; leave it out';

describe('a claim', () => {
  const CLAIMS = '/api/v1/namespaces/web/persistentvolumeclaims';
  const claim = (spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec,
  });
  const stored = { ...claim({}), metadata: { name: 'data', namespace: 'acme--web' } };

  it('is not made with a volume', async () => {
    const lab = new VerbLab({});
    await expect(lab.ask('POST', CLAIMS, { body: claim({ volumeName: 'pv' }) })).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: `PersistentVolumeClaim "data" is invalid: spec.volumeName: ${REFUSAL}`,
    });
    expect(lab.upstream.requests).toEqual([]);
  });

  it.each<[JsonObject]>([[{}], [{ volumeName: '' }]])('is made with %j', async (spec) => {
    const lab = new VerbLab(() => ({ status: 201, body: structuredClone(stored) }));
    expect(await lab.ask('POST', CLAIMS, { body: claim(spec) })).toMatchObject({ status: 201 });
  });

  it('is written back as it was bound', async () => {
    const lab = new VerbLab(() => ({ status: 200, body: structuredClone(stored) }));
    expect(await lab.ask('PUT', `${CLAIMS}/data`, { body: claim({ volumeName: 'pv' }) })).toMatchObject({
      status: 200,
    });
  });
});

describe('a template of claims', () => {
  const SET = kindAt(ACME, 'apps/statefulsets');
  const POD = kindAt(ACME, '/pods');
  const set = (volumeName: JsonValue): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 's', namespace: 'web' },
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { volumeName } }] },
  });
  const pod = (volumeName: JsonValue): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'web' },
    spec: { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: { volumeName } } } }] },
  });

  it.each([
    ['StatefulSet', SET, set, 'spec.volumeClaimTemplates[0].spec.volumeName'],
    ['Pod', POD, pod, 'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeName'],
  ] as const)('of a %s names no volume, however it is written', (_kind, at, object, field) => {
    const refusal = `${field}: ${REFUSAL}`;
    expect(() => toUpstream(object('pv'), at, ACME)).toThrow(refusal);
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
      expect(() => patchToUpstream(object('pv'), `application/${type}`, at, ACME)).toThrow(refusal);
    const path = `/${field.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`;
    const json = (value: JsonValue) =>
      patchToUpstream([{ op: 'add', path, value }], 'application/json-patch+json', at, ACME);
    expect(() => json('pv')).toThrow(REFUSAL);
    expect(() => json('')).not.toThrow();
    for (const none of ['', null]) {
      const upstream = toUpstream(object(none), at, ACME);
      expect(toTenant(upstream, at, ACME)['spec']).toEqual(object(none)['spec']);
    }
  });
});
