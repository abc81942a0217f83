import { describe, expect, it } from 'vitest';
import { compile } from '../compile.ts';
import { toJson } from '../to-json.ts';
import { BOOL, INT } from '../types.ts';
import { fromJson, MapValue, type Value } from '../values.ts';
import { admissionEnvironment } from './admission.ts';
import { authorizerValue, type Check, requestResourceValue } from './authorizer.ts';
import { checkStructNames, JSON_PATCH_TYPE, OBJECT_TYPE } from './patch-types.ts';

const BUDGET = { cost: 1_000_000, ms: 10_000 };

function run(
  expression: string,
  given: Parameters<typeof admissionEnvironment>[0],
  values: Record<string, Value>,
): Value {
  return compile(expression, admissionEnvironment(given)).run((name) => values[name], BUDGET).value;
}

describe('the environment of admission', () => {
  it('looks variables up and does not go through them: there is one for each of thousands', () => {
    class Counted extends Map<string, typeof INT> {
      went = 0;
      override [Symbol.iterator]() {
        this.went += 1;
        return super[Symbol.iterator]();
      }
    }
    const variables = new Counted([['n', INT]]);
    variables.went = 0;
    expect(compile('variables.n > 1', admissionEnvironment({ variables }), [BOOL]).type).toEqual(BOOL);
    expect(variables.went).toBe(0);
    expect([...variables]).toHaveLength(1);
    expect(variables.went).toBe(1);
  });

  it.each([
    ['request.userInfo.username == "x" && "y" in request.userInfo.groups', {}],
    ['namespaceObject.metadata.labels.env == "prod"', {}],
    ['object.spec.replicas > oldObject.spec.replicas', {}],
    ['params.max > 1', { params: true }],
    ['authorizer.requestResource.check("x").allowed()', { authorizer: true }],
    ['variables.n > 1', { variables: new Map([['n', INT]]) }],
    ['Object{spec: Object.spec{replicas: 1}} == Object{}', { patchTypes: true }],
    ['jsonpatch.escapeKey("a/b") == "a~1b"', { patchTypes: true }],
  ])('knows %s', (expression, given) => {
    expect(compile(expression, admissionEnvironment(given), [BOOL]).type).toEqual(BOOL);
  });

  it.each([
    ['request.nope', {}, "undefined field 'nope'"],
    ['params.max > 1', {}, "undeclared reference to 'params'"],
    ['authorizer.path("/x").check("get").allowed()', {}, "undeclared reference to 'authorizer'"],
    ['variables.other', { variables: new Map([['n', INT]]) }, "undefined field 'other'"],
    ['variables.n.startsWith("x")', { variables: new Map([['n', INT]]) }, 'found no matching overload'],
    ['Object{}', {}, "undeclared reference to 'Object'"],
    ['JSONPatch{op: 1}', { patchTypes: true }, "expected type of field 'op' is 'string' but provided type is 'int'"],
    ['JSONPatch{nope: 1}', { patchTypes: true }, "undefined field 'nope'"],
  ])('does not know %s', (expression, given, words) => {
    expect(() => compile(expression, admissionEnvironment(given))).toThrow(words);
  });

  it('asks the authorizer what the expression asks', () => {
    const asked: Check[] = [];
    const ask = (check: Check) => {
      asked.push(check);
      return { allowed: true, reason: 'because', error: '' };
    };
    const values = {
      authorizer: authorizerValue(ask),
      'authorizer.requestResource': requestResourceValue(ask, {
        group: 'apps',
        resource: 'deployments',
        subresource: '',
        namespace: 'web',
        name: 'x',
      }),
    };
    const text =
      'authorizer.serviceAccount("a", "b").group("").resource("pods").namespace("c").check("get").reason() + ";" + string(authorizer.requestResource.check("update").allowed())';
    expect(run(text, { authorizer: true }, values)).toBe('because;true');
    expect(asked).toMatchObject([
      { serviceAccount: { namespace: 'a', name: 'b' }, resource: 'pods', namespace: 'c', verb: 'get' },
      { serviceAccount: undefined, group: 'apps', resource: 'deployments', name: 'x', verb: 'update' },
    ]);
  });

  it('lets an expression check twice, not three times', () => {
    const authorizer = authorizerValue(() => ({ allowed: true, reason: '', error: '' }));
    const checks = (times: number) =>
      Array.from({ length: times }, () => 'authorizer.path("/x").check("get").allowed()').join(' && ');
    expect(run(checks(2), { authorizer: true }, { authorizer })).toBe(true);
    expect(() => run(checks(3), { authorizer: true }, { authorizer })).toThrow('cost limit exceeded');
  });
});

describe('what mutations make', () => {
  const object = fromJson({ spec: { replicas: 1 } });

  it('is JSON', () => {
    const text =
      'Object{metadata: Object.metadata{labels: {"a": "b"}, ?annotations: optional.none()}, spec: Object.spec{list: [Object.spec.list{n: object.spec.replicas + 1}]}}';
    expect(compile(text, admissionEnvironment({ patchTypes: true }), [OBJECT_TYPE]).type).toEqual(OBJECT_TYPE);
    const made = run(text, { patchTypes: true }, { object });
    checkStructNames(made);
    expect(toJson(made)).toEqual({ metadata: { labels: { a: 'b' } }, spec: { list: [{ n: 2 }] } });
  });

  it('has structs that are named by their place', () => {
    const made = run('Object{spec: Object.nope{x: 1}}', { patchTypes: true }, { object });
    expect(() => checkStructNames(made)).toThrow('unexpected type name "Object.nope", expected "Object.spec"');
  });

  it('may be patches', () => {
    const program = compile('[JSONPatch{op: "add", path: "/a", value: 1}]', admissionEnvironment({ patchTypes: true }));
    expect(program.type.params).toEqual([JSON_PATCH_TYPE]);
    expect(toJson(program.run(() => undefined, BUDGET).value)).toEqual([{ op: 'add', path: '/a', value: 1 }]);
  });

  it('keeps every digit, and refuses what JSON has no form for', () => {
    expect(JSON.stringify(toJson(9_007_199_254_740_993n))).toBe('9007199254740993');
    expect(() => toJson(Number.NaN)).toThrow('cannot convert NaN to JSON');
    const map = new MapValue();
    map.set(1n, 'x');
    expect(() => toJson(map)).toThrow('map key is not a string');
  });
});
