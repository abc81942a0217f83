import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import { Change } from './changes.ts';
import { Item, type ItemType } from './item.ts';

const TYPE: ItemType = { group: '', resource: 'pods', apiVersion: 'v1', kind: 'Pod', isTypedInLists: false };

function pod(version: number, color: string, node = 'one'): Item {
  const metadata = { namespace: 'web', name: 'app', uid: 'u', resourceVersion: String(version), labels: { color } };
  return new Item({ metadata, spec: { nodeName: node } }, TYPE);
}
const RED = { label: parseLabelSelector('color=red'), field: parseFieldSelector('') };
const ON_ONE = { label: parseLabelSelector(''), field: parseFieldSelector('spec.nodeName=one') };
const ALL = { label: parseLabelSelector(''), field: parseFieldSelector('') };

function told(change: Change, selection = RED): string | undefined {
  const event = change.for(selection);
  if (event === undefined) return undefined;
  const { metadata } = event.object as { metadata: JsonObject & { labels: JsonObject } };
  return `${event.type} ${String(metadata.labels['color'])}@${String(metadata['resourceVersion'])}`;
}

describe('a change, to a watch that selects', () => {
  it.each([
    ['comes and is selected', undefined, pod(2, 'red'), false, 'ADDED red@2'],
    ['comes and is not selected', undefined, pod(2, 'blue'), false, undefined],
    ['stays selected', pod(1, 'red'), pod(2, 'red'), false, 'MODIFIED red@2'],
    ['begins to be selected', pod(1, 'blue'), pod(2, 'red'), false, 'ADDED red@2'],
    ['is selected no longer', pod(1, 'red'), pod(2, 'blue'), false, 'DELETED red@2'],
    ['was never selected', pod(1, 'blue'), pod(2, 'green'), false, undefined],
    ['goes', pod(1, 'red'), pod(2, 'red'), true, 'DELETED red@2'],
    ['goes and was not selected', pod(1, 'blue'), pod(2, 'blue'), true, undefined],
    ['goes and was never known', undefined, pod(2, 'red'), true, undefined],
  ])('of an object that %s', (_what, before, now, isDeletion, expected) => {
    expect(told(new Change(now, before, isDeletion, TYPE))).toBe(expected);
  });

  it('counts by fields as by labels', () => {
    const moved = new Change(pod(2, 'red', 'two'), pod(1, 'red', 'one'), false, TYPE);
    expect(told(moved, ON_ONE)).toBe('DELETED red@2');
    expect(told(moved, ALL)).toBe('MODIFIED red@2');
  });

  it('is one event for all who see it alike', () => {
    const change = new Change(pod(2, 'red'), pod(1, 'red'), false, TYPE);
    expect(change.for(RED)).toBe(change.for(ALL));
    const left = new Change(pod(2, 'blue'), pod(1, 'red'), false, TYPE);
    expect(left.for(RED)).toBe(left.for(RED));
    expect(left.for(RED)).not.toBe(left.for(ALL));
  });
});

describe('an item', () => {
  it('says what it is, and keeps every digit', () => {
    expect(pod(1, 'red').json.toString()).toMatch(/^\{"kind":"Pod","apiVersion":"v1","metadata":\{/);
    const typed = new Item({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }, TYPE);
    expect(typed.json.toString()).toBe('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}');
  });
});
