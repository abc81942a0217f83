import { describe, expect, it } from 'vitest';
import { child, objects, strings, text } from './read.ts';

const OBJECT = { spec: { a: 1 }, list: [{ b: 2 }, 'c', 3], name: 'd' };

describe('readers of plain JSON', () => {
  it('find what is there', () => {
    expect(child(OBJECT, 'spec')).toEqual({ a: 1 });
    expect(objects(OBJECT, 'list')).toEqual([{ b: 2 }]);
    expect(strings(OBJECT, 'list')).toEqual(['c']);
    expect(text(OBJECT, 'name')).toBe('d');
  });

  it.each(['none', 'name', 'list', 'spec'])('read %s as empty where it is not what was asked for', (key) => {
    if (key !== 'spec') expect(child(OBJECT, key)).toEqual({});
    if (key !== 'list') expect(objects(OBJECT, key)).toEqual([]);
    if (key !== 'list') expect(strings(OBJECT, key)).toEqual([]);
    if (key !== 'name') expect(text(OBJECT, key)).toBe('');
  });

  it('read nothing of nothing', () => {
    expect([child(undefined, 'a'), objects(undefined, 'a'), strings(undefined, 'a'), text(undefined, 'a')]).toEqual([
      {},
      [],
      [],
      '',
    ]);
  });
});
