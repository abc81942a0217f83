/**
 * Frames of protobuf watch streams, cut at any place, too long, or broken off.
 */
import { describe, expect, it } from 'vitest';
import { enveloped, field } from '../../../test/protobuf/wire.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { ProtobufError } from './errors.ts';
import { decodeWatchEvent, encodeWatchEvent, FrameReader, frameWatchEvent } from './frames.ts';

const CONFIG_MAP = enveloped('v1', 'ConfigMap', field(1, field(1, 'a')));

function framed(payload: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** The payload of an event, built by hand. */
function event(type: string, object: Uint8Array): Buffer {
  return Buffer.concat([field(1, type), field(2, field(1, object))]);
}

describe('FrameReader', () => {
  const stream = Buffer.concat(['one', '', 'three'].map((text) => framed(Buffer.from(text))));

  it.each([1, 2, 3, 4, 5, 7, 100])('finds the frames in chunks of %i bytes', (size) => {
    const reader = new FrameReader();
    const found: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...reader.push(stream.subarray(at, at + size)).map(String));
    }
    reader.end();
    expect(found).toEqual(['one', '', 'three']);
  });

  it('copies the payload out of the chunk', () => {
    const chunk = framed(Buffer.from('one'));
    const [payload] = new FrameReader().push(chunk);
    chunk.fill(0);
    expect(String(payload)).toBe('one');
  });

  it('refuses a frame over the limit when it knows the length', () => {
    expect(new FrameReader(5).push(stream)).toHaveLength(3);
    expect(() => new FrameReader(4).push(stream)).toThrow('watch frame of 5 bytes; the limit is 4');
    expect(() => new FrameReader().push(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toThrow(ProtobufError);
  });

  it('refuses an end inside a frame', () => {
    for (const length of [1, 4, 5]) {
      const reader = new FrameReader();
      reader.push(stream.subarray(0, length));
      expect(() => reader.end()).toThrow('ended inside a frame');
    }
    const whole = new FrameReader();
    whole.push(stream);
    expect(() => whole.end()).not.toThrow();
  });
});

describe('watch events', () => {
  it('are decoded', () => {
    const { type, decoded } = decodeWatchEvent(event('MODIFIED', CONFIG_MAP));
    expect(type).toBe('MODIFIED');
    expect(decoded.object).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } });
  });

  it('are framed around bytes as they are', () => {
    expect(frameWatchEvent('MODIFIED', CONFIG_MAP)).toEqual(framed(event('MODIFIED', CONFIG_MAP)));
  });

  it('go there and back, a bookmark and an error too', () => {
    const bookmark: JsonObject = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
    const gone: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 };
    for (const [type, object] of [
      ['BOOKMARK', bookmark],
      ['ERROR', gone],
    ] as const) {
      const [payload] = new FrameReader().push(encodeWatchEvent(type, object) ?? Buffer.alloc(0));
      const back = decodeWatchEvent(payload ?? Buffer.alloc(0));
      expect(back.type).toBe(type);
      expect(back.decoded.object).toMatchObject(object);
    }
  });

  it('have no frame when the object has no protobuf form', () => {
    expect(encodeWatchEvent('ADDED', { kind: 'ConfigMap', apiVersion: 'v1', data: {} })).toBeInstanceOf(Buffer);
    expect(encodeWatchEvent('ADDED', { kind: 'Widget', apiVersion: 'example.com/v1' })).toBeUndefined();
    expect(() => encodeWatchEvent('ADDED', { data: {} })).toThrow('must name its kind');
  });

  it('are refused when they are not whole', () => {
    const whole = event('ADDED', CONFIG_MAP);
    expect(() => decodeWatchEvent(whole)).not.toThrow();
    expect(() => decodeWatchEvent(field(1, 'ADDED'))).toThrow('without an object');
    expect(() => decodeWatchEvent(event('REPLACED', CONFIG_MAP))).toThrow('unknown type "REPLACED"');
    expect(() => decodeWatchEvent(Buffer.concat([whole, field(3, 'x')]))).toThrow('unknown field 3');
    expect(() => decodeWatchEvent(whole.subarray(0, whole.length - 1))).toThrow(ProtobufError);
    expect(() => decodeWatchEvent(event('ADDED', Buffer.from('{}')))).toThrow('expected prefix');
  });
});
