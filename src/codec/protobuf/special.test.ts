/**
 * Messages whose JSON is not what their fields say, where the corpus cannot reach: other encoders than Go's.
 */
import { describe, expect, it } from 'vitest';
import { enveloped, field, varint } from '../../../test/protobuf/wire.ts';
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import { decodeObject, encodeObject } from './codec.ts';

/** JSON of a field of a message; the value and the field before it are bytes of the wire. */
function resourceQuota(quantity: Uint8Array): JsonValue | undefined {
  const hard = field(1, Buffer.concat([field(1, 'cpu'), quantity]));
  const { object } = decodeObject(enveloped('v1', 'ResourceQuota', field(2, hard)));
  return (object['spec'] as JsonObject)['hard'];
}

function targetPort(...message: Uint8Array[]): JsonValue {
  const port = field(1, field(4, Buffer.concat(message)));
  const { object } = decodeObject(enveloped('v1', 'Service', field(2, port)));
  return ((object['spec'] as JsonObject)['ports'] as JsonObject[])[0]?.['targetPort'] ?? null;
}

function revision(...message: Uint8Array[]): string {
  const body = enveloped('apps/v1', 'ControllerRevision', field(2, Buffer.concat(message)));
  return JSON.stringify(decodeObject(body).object['data']);
}

describe('Quantity', () => {
  it('is passed on as it was sent, and "0" when it is absent', () => {
    expect(resourceQuota(field(2, field(1, '1500m')))).toEqual({ cpu: '1500m' });
    expect(resourceQuota(field(2, ''))).toEqual({ cpu: '0' });
    expect(resourceQuota(Buffer.alloc(0))).toEqual({ cpu: '0' });
  });

  it('may be a number in JSON', () => {
    const gvk = { group: '', version: 'v1', kind: 'ResourceQuota' };
    const encode = (cpu: JsonValue) => encodeObject({ spec: { hard: { cpu } } }, gvk);
    expect(encode(0.5)).toEqual(encode('0.5'));
    expect(() => encode(true)).toThrow('ResourceQuotaSpec.hard must be a value of its type');
  });
});

describe('IntOrString', () => {
  it('is what its type says, whatever the other field holds', () => {
    expect(targetPort(field(2, 80))).toBe(80);
    expect(targetPort(field(1, 1), field(2, 80), field(3, 'http'))).toBe('http');
    expect(targetPort(field(1, 1))).toBe('');
    expect(targetPort()).toBe(0);
    expect(() => targetPort(field(1, 2), field(2, 80))).toThrow('IntOrString of type 2');
  });

  it('may not occur twice', () => {
    const port = (...ports: Uint8Array[]) => enveloped('v1', 'Service', field(2, field(1, Buffer.concat(ports))));
    expect(() => decodeObject(port(field(4, field(2, 80))))).not.toThrow();
    expect(() => decodeObject(port(field(4, field(2, 80)), field(4, field(2, 81))))).toThrow('targetPort occurs twice');
  });
});

describe('embedded JSON', () => {
  it('keeps its digits and its keys', () => {
    const text = '{"a":1.50,"b":[9007199254740993,-0],"__proto__":{"c":1e400}}';
    expect(revision(field(1, text))).toBe(text);
  });

  it('is null when it is absent or empty', () => {
    expect(revision()).toBe('null');
    expect(revision(field(1, ''))).toBe('null');
  });
});

describe('time', () => {
  it('has no text outside the years 0 to 9999', () => {
    const created = (seconds: bigint) =>
      decodeObject(enveloped('v1', 'ConfigMap', field(1, field(8, field(1, seconds)))));
    expect(created(0n).object['metadata']).toEqual({ creationTimestamp: '1970-01-01T00:00:00Z' });
    expect(() => created(253_402_300_800n)).toThrow('outside the years 0 to 9999');
    expect(() => created(2n ** 62n)).toThrow('outside the years 0 to 9999');
  });

  it('that is zero is left out where Go leaves it out', () => {
    const zero = decodeObject(enveloped('v1', 'ConfigMap', field(1, field(8, ''))));
    expect(zero.object['metadata']).toEqual({});
  });
});

describe('numbers', () => {
  it('may be packed by another encoder', () => {
    const groups = (...fields: Uint8Array[]) => {
      const security = Buffer.concat(fields);
      const { object } = decodeObject(enveloped('v1', 'Pod', field(2, field(14, security))));
      return ((object['spec'] as JsonObject)['securityContext'] as JsonObject)['supplementalGroups'];
    };
    const packed = Buffer.concat([varint(1), varint(300)]);
    expect(groups(field(4, 1), field(4, 300))).toEqual([1, 300]);
    expect(groups(field(4, packed))).toEqual([1, 300]);
    expect(() => groups(field(4, Buffer.from([0x80])))).toThrow('truncated');
  });

  it('without an end in JSON are refused', () => {
    const schema = (maximum: number) => {
      const bytes = Buffer.alloc(9);
      bytes[0] = (9 << 3) | 1;
      bytes.writeDoubleLE(maximum, 1);
      const version = field(4, field(1, bytes));
      return enveloped('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, field(7, version)));
    };
    expect(JSON.stringify(decodeObject(schema(-0)).object)).toContain('"maximum":-0');
    expect(() => decodeObject(schema(Number.NaN))).toThrow('not finite');
    expect(() => decodeObject(schema(Number.POSITIVE_INFINITY))).toThrow('not finite');
  });
});
