import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { refuseManyMoves } from './patch-moves.ts';

const TOO_LARGE = expect.objectContaining({ status: 413 });
const many = (count: number, operation: JsonObject): JsonObject[] => Array(count).fill(operation);
const brings = (items: number): JsonObject => ({
  op: 'add',
  path: '/x',
  value: { list: Array<JsonValue>(items).fill(1) },
});

describe('insertions and removals in lists', () => {
  it.each<[JsonObject, most: number]>([
    [{ op: 'add', path: '/x/0', value: 1 }, 500],
    [{ op: 'remove', path: '/x/-1' }, 500],
    [{ op: 'copy', from: '/y', path: '/x/0' }, 500],
    [{ op: 'move', from: '/x/0', path: '/y' }, 500],
    [{ op: 'move', from: '/x/0', path: '/x/9' }, 250],
  ])('by %j are bounded', (operation, most) => {
    expect(() => refuseManyMoves(many(most, operation))).not.toThrow();
    expect(() => refuseManyMoves(many(most + 1, operation))).toThrow(TOO_LARGE);
  });

  it.each<[JsonObject]>([
    [{ op: 'add', path: '/x/-', value: 1 }],
    [{ op: 'replace', path: '/x/0', value: 1 }],
    [{ op: 'test', path: '/x/0', value: 1 }],
    [{ op: 'add', path: '/metadata/labels/a', value: 'b' }],
    [{ op: 'copy', from: '/x/0', path: '/y' }],
  ])('are none by %j', (operation) => {
    expect(() => refuseManyMoves([...many(9_000, operation), brings(100_000)])).not.toThrow();
  });

  it('are fewer in a list that the patch brings, the longer that is', () => {
    const insert = { op: 'add', path: '/x/list/0', value: 1 };
    expect(() => refuseManyMoves([brings(40_000), ...many(500, insert)])).not.toThrow();
    expect(() => refuseManyMoves([brings(1_000_000), ...many(20, insert)])).not.toThrow();
    expect(() => refuseManyMoves([brings(1_000_000), ...many(21, insert)])).toThrow(TOO_LARGE);
  });
});
