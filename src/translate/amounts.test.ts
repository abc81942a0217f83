import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { parseJson } from '../codec/json.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { toUpstream } from './object.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const POD = kindAt(ACME, '/pods');
const QUOTA = kindAt(ACME, '/resourcequotas');
const LIMITS = kindAt(ACME, '/limitranges');
const VAST = '1e9999999';

function pod(cpu: string): JsonObject {
  return parseJson(
    `{"metadata": {"name": "p", "annotations": {"a": "${VAST}"}}, "spec": {"containers": [{"name": "c", "env": [{"name": "E", "value": "${VAST}"}], "resources": {"limits": {"cpu": ${cpu}}}}]}}`,
  ) as JsonObject;
}

function patched(type: string, patch: JsonValue, at = POD): JsonValue {
  return patchToUpstream(patch, `application/${type}`, at, ACME);
}

describe('amounts that the host would read for minutes', () => {
  it.each([`"${VAST}"`, VAST, '"1e-9999999"', '"-1E+0000001"', `"${'9'.repeat(101)}"`, `" ${VAST} "`])(
    '%s is refused, and where it stands is told',
    (cpu) => {
      expect(() => toUpstream(pod(cpu), POD, ACME)).toThrow(/spec\.containers\[0\]\.resources\.limits\[cpu\]/);
    },
  );

  it.each(['"1e3"', '1e3', '2', '"100m"', '"1.5Gi"', '"1e999"'])('%s is not, nor are texts elsewhere', (cpu) => {
    expect(toUpstream(pod(cpu), POD, ACME)).toMatchObject({ spec: { containers: [{ name: 'c' }] } });
  });

  it.each([
    ['/persistentvolumeclaims', { spec: { resources: { requests: { storage: VAST } } } }],
    ['apps/deployments', { spec: { template: { spec: { overhead: { cpu: VAST } } } } }],
    ['/resourcequotas', { spec: { hard: { pods: VAST } } }],
    ['/limitranges', { spec: { limits: [{ type: 'Container', max: { cpu: VAST } }] } }],
    ['autoscaling/horizontalpodautoscalers', { spec: { metrics: [{ resource: { target: { averageValue: VAST } } }] } }],
    [
      'batch/cronjobs',
      { spec: { jobTemplate: { spec: { template: { spec: { volumes: [{ emptyDir: { sizeLimit: VAST } }] } } } } } },
    ],
  ])('are refused in %s', (key, body) => {
    const object = { metadata: { name: 'x', namespace: 'web' }, ...structuredClone(body) } as JsonObject;
    expect(() => toUpstream(object, kindAt(ACME, key), ACME)).toThrow(/an amount of at most/);
    const plain = JSON.parse(JSON.stringify(object).replaceAll(VAST, '1')) as JsonObject;
    expect(toUpstream(plain, kindAt(ACME, key), ACME)).toHaveProperty('spec');
  });

  it('are refused in patches of every type', () => {
    const body = (cpu: string) => ({ spec: { containers: [{ name: 'c', resources: { limits: { cpu } } }] } });
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
      expect(() => patched(type, body(VAST)), type).toThrow(/an amount of at most/);
      expect(patched(type, body('1')), type).toMatchObject(body('1'));
    }
  });

  it('are refused in operations of a JSON patch', () => {
    for (const [path, at] of [
      ['/spec/hard/pods', (value: string) => value],
      ['/spec/hard', (value: string) => ({ pods: value })],
      ['/spec', (value: string) => ({ hard: { pods: value } })],
    ] as const) {
      const operation = (value: string) => [{ op: 'add', path, value: at(value) }] as JsonValue;
      expect(() => patched('json-patch+json', operation(VAST), QUOTA), path).toThrow(/an amount of at most/);
      expect(patched('json-patch+json', operation('1'), QUOTA), path).toHaveLength(1);
    }
    const limits = (value: string) => [{ op: 'add', path: '/spec/limits/-', value: { max: { cpu: value } } }];
    expect(() => patched('json-patch+json', limits(VAST), LIMITS)).toThrow(/an amount of at most/);
    expect(patched('json-patch+json', limits('1'), LIMITS)).toHaveLength(1);
  });

  it('do not come from elsewhere in the object by a patch that moves or copies', () => {
    const copy = (path: string) => [{ op: 'copy', from: '/spec/limits/0/type', path }];
    expect(() => patched('json-patch+json', copy('/spec/limits/0/max/cpu'), LIMITS)).toThrow(NeedsLiveObject);
    expect(() => patched('json-patch+json', copy('/spec/limits/0/max'), LIMITS)).toThrow(NeedsLiveObject);
    expect(patched('json-patch+json', copy('/spec/limits/1/type'), LIMITS)).toHaveLength(1);
  });
});
