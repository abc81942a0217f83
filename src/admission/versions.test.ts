import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { Versions } from './versions.ts';

const KIND = { group: 'example.com', version: 'v1', kind: 'Box' };
const V2 = { kind: { ...KIND, version: 'v2' } };
const V3 = { kind: { ...KIND, version: 'v3' } };
const box = (fields: JsonObject, version = 'v1'): JsonObject => ({ apiVersion: `example.com/${version}`, ...fields });

/** What is converted says by way of which versions it came. */
function versionsOf(object: JsonObject | undefined, oldObject?: JsonObject, fillIn?: (one: JsonObject) => JsonObject) {
  const convert = vi.fn(async (objects: readonly JsonObject[], apiVersion: string) =>
    objects.map((one) => ({ ...one, apiVersion, by: `${one['by'] ?? ''}${apiVersion.slice(-1)}` })),
  );
  const filled = fillIn && (async (one: JsonObject) => fillIn(one));
  return { convert, versions: new Versions({ kind: KIND, convert }, { object, oldObject }, filled) };
}

describe('objects in the version in which they are looked at', () => {
  it('are converted once, both in one call, and never back where nobody changed them', async () => {
    const { convert, versions } = versionsOf(box({ a: 1 }), box({ a: 0 }));
    expect(await versions.in(undefined)).toEqual({ object: box({ a: 1 }), oldObject: box({ a: 0 }) });
    expect(convert).not.toHaveBeenCalled();
    const both = { object: box({ a: 1, by: '2' }, 'v2'), oldObject: box({ a: 0, by: '2' }, 'v2') };
    expect(await versions.in(V2)).toEqual(both);
    expect(await versions.in(V2)).toEqual(both);
    expect(convert).toHaveBeenCalledTimes(1);
    expect((await versions.in(V3)).object).toEqual(box({ a: 1, by: '3' }, 'v3'));
    expect((await versions.in(undefined)).object).toEqual(box({ a: 1 }));
    expect(convert).toHaveBeenCalledTimes(2);
  });

  it('go by the version of the request where one was changed', async () => {
    const { versions } = versionsOf(box({ a: 1 }), box({ a: 0 }));
    await versions.in(V2);
    versions.replace(box({ a: 2, by: '2' }, 'v2'));
    expect(await versions.in(V3)).toEqual({
      object: box({ a: 2, by: '213' }, 'v3'),
      oldObject: box({ a: 0, by: '3' }, 'v3'),
    });
    expect((await versions.in(undefined)).object).toEqual(box({ a: 2, by: '21' }));
  });

  it('are as they were changed also in the version of the request, without a conversion', async () => {
    const { convert, versions } = versionsOf(box({ a: 1 }));
    versions.replace(box({ a: 2 }));
    expect((await versions.in(undefined)).object).toEqual(box({ a: 2 }));
    expect(convert).not.toHaveBeenCalled();
    expect((await versions.in(V2)).object).toEqual(box({ a: 2, by: '2' }, 'v2'));
  });
});

describe('defaults of what was changed', () => {
  const fillIn = vi.fn((one: JsonObject) => ({ ...one, filled: true }));

  it('are there for whoever looks, and asked for only when somebody does', async () => {
    fillIn.mockClear();
    const { versions } = versionsOf(box({ a: 1 }), undefined, fillIn);
    await versions.shown(undefined);
    versions.replace(box({ a: 1 }));
    await versions.shown(V2);
    expect(fillIn).not.toHaveBeenCalled();
    versions.replace(box({ a: 2, by: '2' }, 'v2'));
    expect((await versions.in(V2)).object).toEqual(box({ a: 2, by: '2' }, 'v2'));
    expect(fillIn).not.toHaveBeenCalled();
    expect((await versions.shown(V2)).object).toEqual(box({ a: 2, by: '212', filled: true }, 'v2'));
    expect((await versions.shown(undefined)).object).toEqual(box({ a: 2, by: '21', filled: true }));
    expect(fillIn).toHaveBeenCalledTimes(1);
  });

  it('are not asked for again and again', async () => {
    fillIn.mockClear();
    const { versions } = versionsOf(box({ a: 0 }), undefined, fillIn);
    for (let a = 1; a <= 30; a += 1) {
      versions.replace(box({ a }));
      expect((await versions.shown(undefined)).object).toMatchObject({ a });
    }
    expect(fillIn).toHaveBeenCalledTimes(10);
  });
});
