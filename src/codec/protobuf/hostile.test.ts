/**
 * Hostile bodies: each is refused with a ProtobufError or decoded, and costs no more than its size allows.
 */
import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../../test/protobuf/corpus.ts';
import { enveloped, field, mutate, seededRandom, varint } from '../../../test/protobuf/wire.ts';
import { decodeObject } from './codec.ts';
import { ProtobufError } from './errors.ts';

const MUTATIONS_PER_SAMPLE = 12;

function codeOf(bytes: Uint8Array): string {
  try {
    decodeObject(bytes);
  } catch (error) {
    if (error instanceof ProtobufError) {
      return error.code;
    }
    throw error;
  }
  return 'ok';
}

function configMap(...fields: Uint8Array[]): Buffer {
  return enveloped('v1', 'ConfigMap', ...fields);
}

/** ConfigMap.data with one entry. */
function data(key: string, value: Uint8Array): Buffer {
  return field(2, Buffer.concat([field(1, key), value]));
}

/** A CRD whose schema is nested `levels` deep through `not`. */
function crd(levels: number): Buffer {
  let schema: Buffer = Buffer.alloc(0);
  for (let i = 0; i < levels; i++) {
    schema = field(28, schema);
  }
  const version = field(4, field(1, schema));
  return enveloped('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, field(7, version)));
}

describe('mutated samples', () => {
  it('are decoded or refused, never anything else', () => {
    const random = seededRandom(20_260_301);
    const outcomes = new Map<string, number>();
    for (const { bytes } of readCorpus(new URL('../../../test/protobuf/corpus.bin.gz', import.meta.url))) {
      for (let i = 0; i < MUTATIONS_PER_SAMPLE; i++) {
        const code = codeOf(mutate(bytes, random));
        outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
      }
    }
    // Both kinds of outcome are frequent, or the mutations would test nothing.
    expect(outcomes.get('ok')).toBeGreaterThan(500);
    expect(outcomes.get('malformed')).toBeGreaterThan(500);
    expect(outcomes.get('unknown-kind')).toBeGreaterThan(0);
  });

  it('cut at every byte are refused, except where a whole object is left', () => {
    const whole = configMap(field(1, field(1, 'name')), data('k', field(2, 'value')));
    const codes = new Set<string>();
    for (let length = 0; length < whole.length; length++) {
      codes.add(codeOf(whole.subarray(0, length)));
    }
    expect(codes).toEqual(new Set(['malformed', 'ok']));
    expect(codeOf(whole)).toBe('ok');
  });
});

describe('the envelope', () => {
  it('must be there, with a body of protobuf', () => {
    const body = configMap();
    expect(codeOf(body)).toBe('ok');
    expect(codeOf(body.subarray(4))).toBe('malformed');
    expect(codeOf(Buffer.from('{"kind":"ConfigMap","apiVersion":"v1"}'))).toBe('malformed');
    expect(codeOf(Buffer.from('k8s\0'))).toBe('malformed');
    expect(codeOf(Buffer.alloc(0))).toBe('malformed');
  });

  it('may not name another encoding', () => {
    const kind = field(1, Buffer.concat([field(1, 'v1'), field(2, 'ConfigMap')]));
    const envelope = (...more: Uint8Array[]) => Buffer.concat([Buffer.from('k8s\0'), kind, field(2, ''), ...more]);
    expect(codeOf(envelope(field(3, ''), field(4, 'application/vnd.kubernetes.protobuf')))).toBe('ok');
    expect(codeOf(envelope(field(3, 'gzip')))).toBe('malformed');
    expect(codeOf(envelope(field(4, 'application/json')))).toBe('malformed');
    expect(codeOf(envelope(field(5, 'x')))).toBe('malformed');
  });
});

describe('lengths and types', () => {
  it('must fit', () => {
    expect(codeOf(configMap(field(1, field(1, 'a'))))).toBe('ok');
    expect(codeOf(configMap(Buffer.from([0x0a, 0x05, 0x0a, 0x01])))).toBe('malformed');
    expect(codeOf(configMap(Buffer.from([0x0a, 0x01, 0x0a])))).toBe('malformed');
    expect(codeOf(configMap(Buffer.from([0x0a]), varint(2 ** 31)))).toBe('malformed');
    expect(codeOf(configMap(Buffer.from([0x0a]), varint(2n ** 63n)))).toBe('malformed');
  });

  it('of a varint end after ten bytes', () => {
    const immutable = (...bytes: number[]) => configMap(Buffer.from([4 << 3, ...bytes]));
    expect(codeOf(immutable(...new Array(9).fill(0x80), 0x01))).toBe('ok');
    expect(codeOf(immutable(...new Array(10).fill(0x80), 0x01))).toBe('malformed');
    expect(codeOf(immutable(0x80))).toBe('malformed');
  });

  it('must be those of the field', () => {
    expect(codeOf(configMap(field(4, 1)))).toBe('ok');
    expect(codeOf(configMap(field(4, 'x')))).toBe('malformed');
    expect(codeOf(configMap(field(1, 1)))).toBe('malformed');
    expect(codeOf(configMap(field(2, 1)))).toBe('malformed');
    expect(codeOf(configMap(data('k', field(2, 1))))).toBe('malformed');
    expect(codeOf(configMap(data('k', field(2, 'x'))))).toBe('ok');
  });

  it('of an unknown field are skipped, groups too, when they are whole', () => {
    const tag = (number: number, wire: number) => varint((number << 3) | wire);
    expect(codeOf(configMap(tag(99, 3), field(1, 'x'), tag(99, 3), tag(99, 4), tag(99, 4)))).toBe('ok');
    expect(codeOf(configMap(tag(99, 3), field(1, 'x')))).toBe('malformed');
    expect(codeOf(configMap(tag(99, 4)))).toBe('malformed');
    expect(codeOf(configMap(tag(99, 6), Buffer.alloc(8)))).toBe('malformed');
    expect(codeOf(configMap(tag(99, 1), Buffer.alloc(8), tag(99, 5), Buffer.alloc(4)))).toBe('ok');
    expect(codeOf(configMap(tag(99, 1), Buffer.alloc(7)))).toBe('malformed');
    expect(codeOf(configMap(Buffer.from([0x02, 0x00])))).toBe('malformed');
  });

  it('of text must be UTF-8; the replacement character itself is text', () => {
    const key = (bytes: Uint8Array) => configMap(field(1, field(1, bytes)));
    expect(codeOf(key(Buffer.from('\ufffd 日本語 😀')))).toBe('ok');
    expect(codeOf(key(Buffer.from([0xff])))).toBe('malformed');
    expect(codeOf(key(Buffer.concat([Buffer.alloc(60, 'a'), Buffer.from([0xc3, 0x28])])))).toBe('malformed');
    expect(codeOf(key(Buffer.from([0xed, 0xa0, 0x80])))).toBe('malformed');
  });
});

describe('cost', () => {
  it('of nesting is bounded', () => {
    expect(decodeObject(crd(80)).unknownFields).toBe(0);
    expect(codeOf(crd(200))).toBe('too-deep');
    expect(codeOf(crd(5_000))).toBe('too-deep');
  });

  it('of nested envelopes is bounded', () => {
    const nested = (levels: number) => {
      let object = configMap();
      for (let i = 0; i < levels; i++) {
        object = enveloped('v1', 'WatchEvent', field(1, 'ADDED'), field(2, field(1, object)));
      }
      return object;
    };
    expect(codeOf(nested(10))).toBe('ok');
    expect(codeOf(nested(200))).toBe('too-deep');
  });

  it('of empty items is bounded: two bytes each would stand for a whole default object', () => {
    const list = (items: number) => enveloped('v1', 'PodList', ...new Array(items).fill(field(2, '')));
    expect(codeOf(list(1_000))).toBe('ok');
    expect(codeOf(list(100_000))).toBe('too-large');
  });

  it('of JSON inside protobuf is bounded', () => {
    const revision = (text: string) => enveloped('apps/v1', 'ControllerRevision', field(2, field(1, text)));
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(codeOf(revision(nested(1_000)))).toBe('ok');
    expect(codeOf(revision(`["${'['.repeat(2000)}"]`))).toBe('ok');
    expect(codeOf(revision(nested(100_000)))).toBe('malformed');
    expect(codeOf(revision('{"a":'))).toBe('malformed');
    expect(codeOf(revision('kaputt'))).toBe('malformed');
  });
});
