import { describe, expect, it } from 'vitest';
import { schemaTypes } from '../cel/kubernetes/schema-types.ts';
import type { JsonObject } from '../k8s/types.ts';
import { typeWarnings } from './type-check.ts';

const thing = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
const KINDS: Readonly<Record<string, string>> = {
  'example.com/v1/things': 'Thing',
  'example.com/v2/things': 'Thing',
  '/v1/maps': 'Map',
};

function warnings(spec: JsonObject): Promise<JsonObject[]> {
  return typeWarnings(
    { spec },
    {
      kindOf: (group, version, resource) => KINDS[`${group}/${version}/${resource}`],
      typesOf: async ({ kind }) => (kind === 'Unknown' ? undefined : schemaTypes(kind, thing, {})),
      inTurn: async (work) => work(),
    },
  );
}

const rule = (extra: JsonObject = {}): JsonObject => ({
  resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'], ...extra }],
});
const WRONG = { expression: 'object.spec.sice > 1' };

describe('warnings', () => {
  it('name the expression, the kind, and what is wrong', async () => {
    const spec = {
      matchConstraints: rule(),
      validations: [{ expression: 'object.spec.size > 1' }, { ...WRONG, messageExpression: 'object.spec.size' }],
    };
    expect(await warnings(spec)).toEqual([
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "example.com/v1, Kind=Thing: ERROR: <input>:1:12: undefined field 'sice'\n | object.spec.sice > 1\n | ...........^\n",
      },
    ]);
  });

  it('are of each kind that the rules name, in their order', async () => {
    const [first] = await warnings({
      matchConstraints: rule({
        apiGroups: ['example.com', ''],
        apiVersions: ['v2', 'v1'],
        resources: ['things', 'maps'],
      }),
      validations: [WRONG],
    });
    const kinds = String(first?.['warning']).match(/.*Kind=\w+/g);
    expect(kinds).toEqual(['/v1, Kind=Map', 'example.com/v1, Kind=Thing', 'example.com/v2, Kind=Thing']);
  });

  it.each<[what: string, extra: JsonObject]>([
    ['groups', { apiGroups: ['*'] }],
    ['versions', { apiVersions: ['*'] }],
    ['resources', { resources: ['*', '*/*', 'things/status'] }],
    ['kinds that are not there', { resources: ['others'] }],
  ])('are none for any %s', async (_what, extra) => {
    expect(await warnings({ matchConstraints: rule(extra), validations: [WRONG] })).toEqual([]);
  });

  it('come of variables and parameters too', async () => {
    const spec = {
      matchConstraints: rule(),
      paramKind: { apiVersion: 'example.com/v1', kind: 'Thing' },
      variables: [{ name: 'size', expression: 'object.spec.size' }],
      validations: [{ expression: "variables.size == 'a'" }, { expression: "params.spec.size == 'a'" }],
    };
    const found = await warnings(spec);
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual([
      'spec.validations[0].expression',
      'spec.validations[1].expression',
    ]);
    const unknown = { ...spec, paramKind: { apiVersion: 'example.com/v1', kind: 'Unknown' } };
    expect(await warnings(unknown)).toHaveLength(1);
  });

  it('are as long as an object can hold, whatever is wrong', async () => {
    const long = { expression: `[${Array(1_500).fill('object.sice').join(',')}] == []` };
    const all = (count: number) => warnings({ matchConstraints: rule(), validations: Array(count).fill(long) });
    const [one] = await all(1);
    expect(one?.['warning']).toMatch(/^example.com\/v1, Kind=Thing: ERROR: <input>:1:8: undefined field 'sice'\n/);
    expect(String(one?.['warning']).length).toBeLessThan(8_300);
    expect(JSON.stringify(await all(40)).length).toBeLessThan(300_000);
  });
});
