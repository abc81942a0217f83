import { describe, expect, it } from 'vitest';
import { compareVersions } from '../k8s/meta.ts';
import { Ring } from './ring.ts';

let nowMs = 0;
const ringOf = (limits: { bytes?: number; ageMs?: number } = {}) =>
  new Ring<string>('10', { bytes: 100, ageMs: 1_000, ...limits }, () => nowMs);

function read(ring: Ring<string>, place: number): string[] {
  const values: string[] = [];
  for (let at = place; at < ring.end; at += 1) values.push(ring.get(at) ?? '?');
  return values;
}

describe('a ring of changes', () => {
  it('gives what is newer than a revision, and nothing twice', () => {
    const ring = ringOf();
    for (const version of ['11', '13', '100']) ring.append(`at ${version}`, version, 1);
    expect(read(ring, ring.after('10', compareVersions))).toEqual(['at 11', 'at 13', 'at 100']);
    expect(read(ring, ring.after('11', compareVersions))).toEqual(['at 13', 'at 100']);
    expect(read(ring, ring.after('12', compareVersions))).toEqual(['at 13', 'at 100']);
    expect(read(ring, ring.after('99', compareVersions))).toEqual(['at 100']);
    expect(read(ring, ring.after('100', compareVersions))).toEqual([]);
  });

  it('keeps every place while it drops what is too much, and says from where it is whole', () => {
    const ring = ringOf({ bytes: 100 });
    for (const version of ['11', '12', '13']) ring.append(version, version, 40);
    expect(ring.floor).toBe('11');
    expect(ring.first).toBe(1);
    expect(ring.bytes).toBe(80);
    expect(read(ring, ring.after('11', compareVersions))).toEqual(['12', '13']);
    expect(ring.get(1)).toBe('12');
  });

  it('drops what is too old, when it is asked to', () => {
    const ring = ringOf({ ageMs: 1_000 });
    ring.append('a', '11', 1);
    nowMs += 600;
    ring.append('b', '12', 1);
    ring.append('c', '13', 1);
    nowMs += 600;
    ring.trim();
    expect([ring.floor, ring.first, ring.end]).toEqual(['11', 1, 3]);
  });

  it('always has the newest, however large or old', () => {
    const ring = ringOf({ bytes: 10 });
    ring.append('huge', '11', 1_000);
    nowMs += 1_000_000;
    ring.trim();
    expect(read(ring, ring.first)).toEqual(['huge']);
    expect(ring.floor).toBe('10');
  });
});
