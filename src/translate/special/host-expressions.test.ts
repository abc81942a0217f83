import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import { toTenant, toUpstream } from '../object.ts';
import { NeedsLiveObject, patchToUpstream } from '../patch.ts';

const ACME = scopeOf('acme', { published: ['gpu'] });
const CRD = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');
const BOMB = "self.replace('a', self).size() >= 0";
const HONEST = 'self.size() >= 0';

function crd(version: JsonObject): JsonObject {
  const names = { plural: 'foos', kind: 'Foo', singular: 'foo' };
  return structuredClone({ metadata: { name: 'foos.b.c' }, spec: { group: 'b.c', names, versions: [version] } });
}

const schema = (rule: JsonObject, wrap: (schema: JsonObject) => JsonObject) => ({
  name: 'v1',
  schema: { openAPIV3Schema: wrap({ type: 'string', 'x-kubernetes-validations': [rule] }) },
});

describe('rules of a CRD, which the host runs,', () => {
  const places: [string, (schema: JsonObject) => JsonObject][] = [
    ['the top', (below) => below],
    ['a property', (below) => ({ properties: { a: { properties: { b: below } } } })],
    ['items', (below) => ({ items: { additionalProperties: below } })],
    ['a property of that name', (below) => ({ properties: { 'x-kubernetes-validations': below } })],
    ['a list of schemas', (below) => ({ allOf: [below] })],
  ];

  it.each(places)('are bounded at %s', (_where, wrap) => {
    for (const field of ['rule', 'messageExpression']) {
      const bomb = crd(schema({ rule: HONEST, [field]: BOMB }, wrap));
      expect(() => toUpstream(bomb, CRD, ACME), field).toThrow(
        new RegExp(`spec\\.versions\\[0\\]\\.schema\\..*x-kubernetes-validations\\[0\\]\\.${field}: Invalid value`),
      );
    }
    const upstream = toUpstream(crd(schema({ rule: HONEST }, wrap)), CRD, ACME);
    const honest = crd(schema({ rule: HONEST }, wrap));
    expect(toTenant(upstream, CRD, ACME)).toHaveProperty('spec.versions', (honest['spec'] as JsonObject)['versions']);
  });

  it('are bounded in patches', () => {
    const merge = (rule: string) => ({ spec: { versions: [schema({ rule }, (below) => below)] } });
    expect(() => patchToUpstream(merge(BOMB), 'application/merge-patch+json', CRD, ACME)).toThrow(/replace\(\)/);
    expect(patchToUpstream(merge(HONEST), 'application/merge-patch+json', CRD, ACME)).toHaveProperty('spec.versions');
    const json = (path: string, op: string, value: JsonValue) => [{ op, path, from: '/spec/versions/0/name', value }];
    const rule = '/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/0/rule';
    for (const op of ['replace', 'copy'])
      expect(() => patchToUpstream(json(rule, op, BOMB), 'application/json-patch+json', CRD, ACME)).toThrow(
        NeedsLiveObject,
      );
  });
});

describe('columns of a CRD', () => {
  const column = (jsonPath: string) => crd({ name: 'v1', additionalPrinterColumns: [{ name: 'A', jsonPath }] });

  it.each(['.spec..a..a..a..a..a', ".spec['a','a']['a','a']"])(
    'may not walk again and again through an object, as %s does',
    (path) => {
      expect(() => toUpstream(column(path), CRD, ACME)).toThrow(
        /spec\.versions\[0\]\.additionalPrinterColumns\[0\]\.jsonPath: Invalid value/,
      );
    },
  );

  it.each(['.status.conditions[?(@.type=="Ready")].status', '.spec..a', '.spec.list[*].name'])('may be %s', (path) => {
    expect(toUpstream(column(path), CRD, ACME)).toHaveProperty('spec.versions');
  });
});

describe('selectors of devices, which the host’s scheduler runs,', () => {
  const claim = (expression: string, under: string) => ({
    metadata: { name: 'c', namespace: 'web' },
    spec: {
      devices: {
        requests: [
          under === 'exactly'
            ? { name: 'r', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression } }] } }
            : { name: 'r', firstAvailable: [{ deviceClassName: 'gpu', selectors: [{ cel: { expression } }] }] },
        ],
      },
    },
  });

  it.each(['exactly', 'firstAvailable'])('are bounded in %s', (under) => {
    const CLAIM = kindAt(ACME, 'resource.k8s.io/resourceclaims');
    const TEMPLATE = kindAt(ACME, 'resource.k8s.io/resourceclaimtemplates');
    const template = (expression: string) => ({
      metadata: { name: 't', namespace: 'web' },
      spec: claim(expression, under),
    });
    expect(() => toUpstream(claim(BOMB, under), CLAIM, ACME)).toThrow(/selectors\[0\]\.cel\.expression: Invalid value/);
    expect(() => toUpstream(template(BOMB), TEMPLATE, ACME)).toThrow(/selectors\[0\]\.cel\.expression: Invalid value/);
    const honest = 'device.driver == "gpu.example.com"';
    expect(toUpstream(claim(honest, under), CLAIM, ACME)).toHaveProperty('spec.devices');
    expect(toUpstream(template(honest), TEMPLATE, ACME)).toHaveProperty('spec.spec.devices');
  });
});
