/**
 * The codec against Go: every sample of the committed corpus, and the rules that a caller relies on.
 */
import { describe, expect, it } from 'vitest';
import { decodeFault, encodeFault, readCorpus } from '../../../test/protobuf/corpus.ts';
import { enveloped, field } from '../../../test/protobuf/wire.ts';
import type { Gvk, JsonObject } from '../../k8s/types.ts';
import { parseJson } from '../json.ts';
import { decodeObject, encodeObject, hasProtobuf } from './codec.ts';
import { ProtobufError } from './errors.ts';

/** The committed corpus, or another one that is named by its path from the root. */
const samples = readCorpus(
  new URL(`../../../${process.env['PROTOBUF_CORPUS'] ?? 'test/protobuf/corpus.bin.gz'}`, import.meta.url),
);

const CONFIG_MAP: Gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT: Gvk = { group: 'apps', version: 'v1', kind: 'Deployment' };
const WIDGET: Gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };

/** ObjectMeta of a name, as a client that leaves out empty fields writes it. */
function metadata(name: string): Buffer {
  return field(1, field(1, name));
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof ProtobufError ? error.code : `other: ${String(error)}`;
  }
  return 'no error';
}

describe('golden corpus', () => {
  it('has samples of every kind', () => {
    const kinds = new Set(samples.map(({ gvk }) => `${gvk.group}/${gvk.version} ${gvk.kind}`));
    expect(samples.length).toBeGreaterThan(600);
    expect(kinds.size).toBeGreaterThan(300);
  });

  it("is decoded to Go's JSON", () => {
    expect(samples.map(decodeFault).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("is encoded to Go's bytes", () => {
    expect(samples.map(encodeFault).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('is read by a comparison that sees a difference', () => {
    const sample = samples.find(({ gvk }) => gvk.kind === 'Pod');
    expect(sample).toBeDefined();
    if (sample !== undefined) {
      expect(decodeFault({ ...sample, json: sample.json.replace('{', '{"extra":1,') })).toContain('JSON differs');
      expect(encodeFault({ ...sample, bytesOfJson: Buffer.from('x') })).toContain('bytes differ');
    }
  });
});

describe('kind of the body', () => {
  it('comes from the envelope, also against the route', () => {
    const decoded = decodeObject(enveloped('v1', 'ConfigMap', metadata('a')), DEPLOYMENT);
    expect(decoded).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', unknownFields: 0 });
    expect(decoded.object).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } });
  });

  it('comes from the route where the envelope has none', () => {
    const decoded = decodeObject(enveloped('', '', metadata('a')), DEPLOYMENT);
    expect(decoded).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment' });
    expect(decoded.object).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } });
  });

  it('takes only the version from the route when the body names the kind', () => {
    const decoded = decodeObject(enveloped('', 'ReplicaSet', metadata('a')), DEPLOYMENT);
    expect(decoded).toMatchObject({ apiVersion: 'apps/v1', kind: 'ReplicaSet' });
  });

  it('is an error when nobody names it, or no built-in API has it', () => {
    expect(codeOf(() => decodeObject(enveloped('v1', '', metadata('a'))))).toBe('missing-kind');
    expect(codeOf(() => decodeObject(enveloped('', 'ConfigMap', metadata('a'))))).toBe('missing-kind');
    expect(codeOf(() => decodeObject(enveloped('example.com/v1', 'Widget', metadata('a'))))).toBe('unknown-kind');
    expect(codeOf(() => decodeObject(enveloped('v1', '__proto__', metadata('a'))))).toBe('unknown-kind');
    expect(codeOf(() => decodeObject(enveloped('v1', 'ConfigMap', metadata('a'))))).toBe('no error');
  });

  it('of the meta package is known in every version', () => {
    const options = decodeObject(enveloped('example.com/v7', 'DeleteOptions', field(1, 30)));
    expect(options.object).toMatchObject({ apiVersion: 'example.com/v7', gracePeriodSeconds: 30 });
    expect(hasProtobuf({ ...WIDGET, kind: 'Status' })).toBe(true);
    expect(hasProtobuf(WIDGET)).toBe(false);
    expect(hasProtobuf({ group: 'meta.k8s.io', version: 'v1', kind: 'Table' })).toBe(false);
  });
});

describe('what is not known', () => {
  it('is counted and named when decoding', () => {
    const container = Buffer.concat([field(1, 'web'), field(77, 'new'), field(78, 1)]);
    const body = enveloped('v1', 'Pod', metadata('a'), field(2, field(2, container)), field(9, ''));
    const { unknownFields, unknownNames, object } = decodeObject(body);
    expect(unknownFields).toBe(3);
    expect(unknownNames).toEqual([
      'api/core/v1.Container field 77',
      'api/core/v1.Container field 78',
      'api/core/v1.Pod field 9',
    ]);
    expect(object['spec']).toMatchObject({ containers: [{ name: 'web' }] });
  });

  it('makes encoding give up', () => {
    const known = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: 'b' } };
    expect(encodeObject(known, CONFIG_MAP)).toBeInstanceOf(Uint8Array);
    expect(encodeObject({ ...known, fancy: 1 }, CONFIG_MAP)).toBeUndefined();
    expect(encodeObject({ ...known, metadata: { name: 'a', fancy: null } }, CONFIG_MAP)).toBeUndefined();
    expect(encodeObject({ ...known, apiVersion: 'v9' }, { ...CONFIG_MAP, version: 'v9' })).toBeUndefined();
  });

  it('does not count kind and apiVersion of an object inside an object', () => {
    const claim = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'a' } };
    const set = { metadata: {}, spec: { serviceName: '', template: {}, volumeClaimTemplates: [claim] } };
    const gvk = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
    expect(encodeObject(set, gvk)).toBeInstanceOf(Uint8Array);
    expect(encodeObject({ ...set, spec: { ...set.spec, kind: 'x' } }, gvk)).toBeUndefined();
  });
});

describe('values', () => {
  it('of the wrong type are refused when encoding, with the name of the field', () => {
    const withReplicas = (replicas: number | string) => ({ metadata: {}, spec: { replicas, template: {} } });
    expect(encodeObject(withReplicas(3), DEPLOYMENT)).toBeInstanceOf(Uint8Array);
    expect(() => encodeObject(withReplicas('3'), DEPLOYMENT)).toThrow('api/apps/v1.DeploymentSpec.replicas must be');
    expect(codeOf(() => encodeObject(withReplicas(1.5), DEPLOYMENT))).toBe('invalid-value');
    expect(codeOf(() => encodeObject(withReplicas(2 ** 31), DEPLOYMENT))).toBe('invalid-value');
    expect(codeOf(() => encodeObject({ data: ['a'] }, CONFIG_MAP))).toBe('invalid-value');
    expect(codeOf(() => encodeObject(parseJson('{"data":12345678901234567890}') as JsonObject, CONFIG_MAP))).toBe(
      'invalid-value',
    );
    expect(codeOf(() => encodeObject({ binaryData: { a: 'no base64!' } }, CONFIG_MAP))).toBe('invalid-value');
  });

  it('of an object of another kind are refused when encoding', () => {
    expect(encodeObject({ kind: 'ConfigMap' }, CONFIG_MAP)).toBeInstanceOf(Uint8Array);
    expect(codeOf(() => encodeObject({ kind: 'Status' }, CONFIG_MAP))).toBe('invalid-value');
    expect(encodeObject({ apiVersion: 'v1' }, CONFIG_MAP)).toBeInstanceOf(Uint8Array);
    expect(codeOf(() => encodeObject({ apiVersion: 'v2' }, CONFIG_MAP))).toBe('invalid-value');
  });

  it('keep all digits of an int64', () => {
    const body = enveloped('v1', 'Pod', field(1, field(7, 2n ** 63n - 1n)));
    const { object } = decodeObject(body);
    expect(JSON.stringify(object['metadata'])).toBe('{"generation":9223372036854775807}');
    const again = encodeObject(object, { group: '', version: 'v1', kind: 'Pod' });
    expect(JSON.stringify(decodeObject(again ?? body).object)).toBe(JSON.stringify(object));
  });

  it('may stand under a key that means something to JavaScript', () => {
    const entry = (key: string) => field(2, Buffer.concat([field(1, key), field(2, 'x')]));
    const { object } = decodeObject(enveloped('v1', 'ConfigMap', entry('__proto__'), entry('constructor')));
    expect(JSON.stringify(object['data'])).toBe('{"__proto__":"x","constructor":"x"}');
    expect(Object.getPrototypeOf(object['data'])).toBe(Object.prototype);
    expect(encodeObject(object, CONFIG_MAP)).toEqual(encodeObject(JSON.parse(JSON.stringify(object)), CONFIG_MAP));
  });

  it('of an empty list are an empty array, as in JSON of the API server', () => {
    const list = decodeObject(enveloped('v1', 'ConfigMapList', field(1, field(2, '7'))));
    expect(list.object).toEqual({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [],
    });
  });

  it('that occur twice are merged or replaced, as in Go', () => {
    const twice = Buffer.concat([field(1, 'a'), field(1, 'b')]);
    const { object } = decodeObject(enveloped('v1', 'ConfigMap', field(1, twice), field(1, field(3, 'ns'))));
    expect(object['metadata']).toEqual({ name: 'b', namespace: 'ns' });
  });

  it('are found inside an object that is enveloped in another', () => {
    const inner = enveloped('v1', 'ConfigMap', metadata('a'));
    const event = decodeObject(enveloped('v1', 'WatchEvent', field(1, 'ADDED'), field(2, field(1, inner))));
    expect(event.object).toEqual({
      type: 'ADDED',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } },
    });
  });
});
