import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { type BodyContext, decodeBody } from './body.ts';
import { stringifyJson } from './json.ts';
import { encodeObject } from './protobuf/codec.ts';
import { readYaml } from './yaml-read.ts';

const CREATE: BodyContext = {
  verb: 'create',
  gvk: { group: '', version: 'v1', kind: 'ConfigMap' },
  custom: false,
  readYaml: async (text) => readYaml(text),
};
const PATCH: BodyContext = { ...CREATE, verb: 'patch' };
const DELETE: BodyContext = { ...CREATE, verb: 'delete' };
const CUSTOM: BodyContext = { ...CREATE, gvk: { group: 'a.b', version: 'v1', kind: 'Foo' }, custom: true };
const CONFIG_MAP = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { b: 'c' } };

async function decode(body: string | Uint8Array, type: string | undefined, context: BodyContext): Promise<unknown> {
  return (await decodeBody(Buffer.from(body as string), type, context))?.document;
}

async function refusal(body: string | Uint8Array, type: string | undefined, context: BodyContext): Promise<ApiError> {
  try {
    await decode(body, type, context);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the body was not refused');
}

describe('whole objects', () => {
  const good: [type: string | undefined, body: string][] = [
    ['application/json', JSON.stringify(CONFIG_MAP)],
    [undefined, JSON.stringify(CONFIG_MAP)],
    ['', JSON.stringify(CONFIG_MAP)],
    ['Application/JSON; charset=utf-8', JSON.stringify(CONFIG_MAP)],
    ['application/yaml', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  b: c\n'],
    ['application/yaml', JSON.stringify(CONFIG_MAP)],
  ];
  it.each(good)('%s', async (type, body) => {
    expect(await decodeBody(Buffer.from(body), type, CREATE)).toEqual({
      contentType: 'application/json',
      document: CONFIG_MAP,
      repeated: [],
    });
  });

  it('protobuf, with the kind from the route where the body names none', async () => {
    const bytes = encodeObject(CONFIG_MAP, CREATE.gvk);
    expect(await decode(bytes ?? '', 'application/vnd.kubernetes.protobuf', CREATE)).toMatchObject(CONFIG_MAP);
  });

  it('numbers keep their digits', async () => {
    const body = '{"a":12345678901234567890,"b":1.10,"c":1e400}';
    expect(stringifyJson((await decode(body, 'application/json', CREATE)) as never)).toBe(body);
  });

  it('keys that are names of Object.prototype are keys', async () => {
    const document = await decode('{"__proto__":{"polluted":1},"constructor":2}', 'application/json', CREATE);
    expect(Object.keys(document as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const yaml = await decode('__proto__:\n  polluted: 1\nconstructor: 2\n', 'application/yaml', CREATE);
    expect(Object.keys(yaml as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  const TYPES = 'accepted media types include: application/json, application/yaml';
  const bad: [type: string, body: string, context: BodyContext, status: number, message: string][] = [
    ['text/plain', '{}', CREATE, 415, `${TYPES}, application/vnd.kubernetes.protobuf`],
    ['application/cbor', '{}', CREATE, 415, TYPES],
    ['json', '{}', CREATE, 415, TYPES],
    ['application/json, text/plain', '{}', CREATE, 415, TYPES],
    ['application/merge-patch+json', '{}', CREATE, 415, TYPES],
    ['application/vnd.kubernetes.protobuf', '', CUSTOM, 415, TYPES],
    ['application/json', '{', CREATE, 400, 'the object provided is unrecognized (must be of type ConfigMap)'],
    ['application/json', '', CREATE, 400, "couldn't get version/kind"],
    ['application/json', '[]', CREATE, 400, 'json: cannot unmarshal array into Go value of type struct'],
    ['application/json', '5', CREATE, 400, 'json: cannot unmarshal number into Go value of type struct'],
    ['application/json', '{"kind":5}', CREATE, 400, 'number into Go struct field .kind of type string ({"kind":5})'],
    ['application/json', '{"apiVersion":[]}', CREATE, 400, 'array into Go struct field .apiVersion of type string'],
    ['application/json', '{"apiVersion":"a/b/c"}', CREATE, 400, 'unexpected GroupVersion string: a/b/c'],
    ['application/json', '{}', { ...CUSTOM, namesKind: true }, 400, "Object 'Kind' is missing in '{}' ({})"],
    ['application/json', '{"a":1}{"b":2}', CREATE, 400, 'not valid JSON'],
    ['application/json', '\ufeff{}', CREATE, 400, 'not valid JSON'],
    ['application/json', '['.repeat(100_000), CREATE, 400, 'nested'],
    ['application/vnd.kubernetes.protobuf', 'garbage', CREATE, 400, 'must be of type ConfigMap'],
    ['application/yaml', 'a: [', CREATE, 400, 'line 1'],
    ['application/yaml', 'a: 1\n---\nb: 2', CREATE, 400, 'only one document'],
  ];
  it.each(bad)('%s %j is refused', async (type, body, context, status, message) => {
    const error = await refusal(body.slice(0), type, context);
    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
  });

  it('null is an object without fields', async () => {
    expect(await decode('null', 'application/json', CREATE)).toEqual({});
    expect(await decode('{"kind":"","apiVersion":null}', 'application/json', CREATE)).toMatchObject({ kind: '' });
  });

  it('tells of what stands twice', async () => {
    const twice = async (body: string, type: string, context = CREATE) =>
      (await decodeBody(Buffer.from(body), type, context))?.repeated.map(({ path, line }) => [...path, line]);
    expect(await twice('{"a":1,"a":2}', 'application/json')).toEqual([['a', 1]]);
    expect(await twice('{"a":1,\n"a":2}', 'application/yaml')).toEqual([['a', 2]]);
    expect(await twice('a: 1\nb: 1\na: 2', 'application/yaml')).toEqual([['a', 3]]);
    expect(await twice('{"a":1}', 'application/json')).toEqual([]);
    const patch = { ...CREATE, verb: 'patch' };
    expect(await twice('{"a":1,"a":2}', 'application/merge-patch+json', patch)).toEqual([['a', 1]]);
    expect(await twice('[{"op":"add","op":"test"}]', 'application/json-patch+json', patch)).toEqual([[0, 'op', 1]]);
  });

  it('refuses bytes that are not UTF-8, in JSON and in YAML', async () => {
    const bytes = Uint8Array.from([0x7b, 0x22, 0x61, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await refusal(bytes, 'application/json', CREATE)).message).toContain('UTF-8');
    expect((await refusal(bytes, 'application/yaml', CREATE)).message).toContain('UTF-8');
  });
});

describe('deletions', () => {
  it.each([
    ['', undefined, undefined],
    ['{"propagationPolicy":"Foreground"}', 'application/json', { propagationPolicy: 'Foreground' }],
    ['{"propagationPolicy":"Foreground"}', undefined, { propagationPolicy: 'Foreground' }],
  ])('%j', async (body, type, document) => {
    expect(await decode(body, type, DELETE)).toEqual(document);
  });

  it('takes protobuf options for a custom resource too', async () => {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const bytes = encodeObject(options, { group: '', version: 'v1', kind: 'DeleteOptions' });
    const document = await decode(bytes ?? '', 'application/vnd.kubernetes.protobuf', { ...CUSTOM, verb: 'delete' });
    expect(document).toMatchObject({ propagationPolicy: 'Background' });
  });

  it('refuses what does not parse', async () => {
    expect((await refusal('{', 'application/json', DELETE)).message).toMatch(
      /^couldn't get version\/kind; json parse error/,
    );
    expect((await refusal('{}', 'text/plain', DELETE)).status).toBe(415);
  });
});

describe('patches', () => {
  const good: [type: string, body: string, document: unknown][] = [
    ['application/merge-patch+json', '{"data":null}', { data: null }],
    ['application/strategic-merge-patch+json', '{"$patch":"replace"}', { $patch: 'replace' }],
    ['application/json-patch+json', '[{"op":"remove","path":"/a"}]', [{ op: 'remove', path: '/a' }]],
    ['application/apply-patch+yaml', 'kind: ConfigMap\ndata: {a: "1"}', { kind: 'ConfigMap', data: { a: '1' } }],
    ['application/apply-patch+yaml', '{"kind":"ConfigMap"}', { kind: 'ConfigMap' }],
  ];
  it.each(good)('%s', async (type, body, document) => {
    expect(await decodeBody(Buffer.from(body), `${type}; charset=utf-8`, PATCH)).toEqual({
      contentType: type,
      document,
      repeated: [],
    });
  });

  const bad: [type: string | undefined, body: string, context: BodyContext, status: number, message: string][] = [
    ['application/json', '{}', PATCH, 415, '415: Unsupported Media Type'],
    [undefined, '{}', PATCH, 415, '415: Unsupported Media Type'],
    ['application/strategic-merge-patch+json', '{}', { ...CUSTOM, verb: 'patch' }, 415, 'application/merge-patch+json'],
    ['application/merge-patch+json', '{', PATCH, 400, 'error decoding patch'],
    ['application/merge-patch+json', '', PATCH, 400, 'error decoding patch'],
    ['application/merge-patch+json', '[1]', PATCH, 400, 'error decoding patch'],
    ['application/json-patch+json', '{}', PATCH, 400, 'must be an array'],
    ['application/json-patch+json', '[1]', PATCH, 400, 'must be an array'],
    ['application/apply-patch+yaml', 'a: [', PATCH, 400, 'error decoding patch: yaml'],
  ];
  it.each(bad)('%s %j is refused', async (type, body, context, status, message) => {
    const error = await refusal(body, type, context);
    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
  });

  it('bounds the lists of a strategic merge patch, that the API server compares item by item', async () => {
    const type = 'application/strategic-merge-patch+json';
    const items = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `c${at}` }));
    const one = (count: number) => JSON.stringify({ spec: { containers: items(count) } });
    expect(await decode(one(1_000), type, PATCH)).toHaveProperty('spec');
    expect(await refusal(one(1_001), type, PATCH)).toMatchObject({ status: 413 });
    const many = (lists: number) =>
      JSON.stringify({ spec: { containers: items(10).map((item) => ({ ...item, env: items(lists) })) } });
    expect(await decode(many(300), type, PATCH)).toHaveProperty('spec');
    expect(await refusal(many(400), type, PATCH)).toMatchObject({ status: 413 });
    // Nothing is compared in others.
    expect(await decode(one(1_001), 'application/merge-patch+json', PATCH)).toHaveProperty('spec');
  });

  it('bounds how often a JSON patch touches the owners', async () => {
    const type = 'application/json-patch+json';
    const add = { op: 'add', path: '/metadata/ownerReferences/-', value: { controller: true } };
    const patch = (count: number) => JSON.stringify(new Array(count).fill(add));
    expect(await decode(patch(64), type, PATCH)).toHaveLength(64);
    expect(await refusal(patch(65), type, PATCH)).toMatchObject({ status: 413 });
    const copies = new Array(65).fill({ op: 'copy', from: '/metadata/ownerReferences/0', path: '/metadata/x' });
    expect(await refusal(JSON.stringify(copies), type, PATCH)).toMatchObject({ status: 413 });
  });

  it('bounds the operations of a JSON patch', async () => {
    const patch = (count: number): string =>
      JSON.stringify(new Array(count).fill({ op: 'test', path: '/a', value: 1 }));
    expect(await decode(patch(10_000), 'application/json-patch+json', PATCH)).toHaveLength(10_000);
    expect(await refusal(patch(10_001), 'application/json-patch+json', PATCH)).toMatchObject({
      status: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});
