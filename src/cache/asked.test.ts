import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import { versionOfGet, versionOfList, watchOptions } from './asked.ts';

const EVERYTHING = { label: parseLabelSelector(''), field: parseFieldSelector('') };

function query(text: string): ReadonlyMap<string, string> {
  return new Map(new URLSearchParams(text));
}

function watches(text: string): boolean {
  return watchOptions(query(text), EVERYTHING, new AbortController().signal) !== undefined;
}

describe('what a view can answer', () => {
  it.each([
    ['resourceVersion=0', '0'],
    ['resourceVersion=0&limit=500', '0'],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan&timeoutSeconds=30', '0'],
    ['resourceVersion=7', '7'],
    ['resourceVersion=7&limit=0&continue=', '7'],
  ])('of lists: %s', (text, version) => expect(versionOfList(query(text))).toBe(version));

  it('of objects: any of a revision', () => {
    expect(versionOfGet(query('resourceVersion=0'))).toBe('0');
    expect(versionOfGet(query('resourceVersion=7'))).toBe('7');
    for (const text of ['', 'resourceVersion=', 'resourceVersion=x']) expect(versionOfGet(query(text))).toBeUndefined();
  });

  it.each([
    '',
    'resourceVersion=0',
    'resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'limit=500',
  ])('of watches: %s', (text) => expect(watches(text)).toBe(true));
});

describe('what upstream has to answer, or to refuse', () => {
  it.each([
    '',
    'resourceVersion=x',
    'resourceVersion=7&limit=1',
    'resourceVersion=7&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=odd',
    'resourceVersion=0&sendInitialEvents=true',
    'resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'resourceVersion=0&continue=x',
    'resourceVersion=0&limit=x',
    'resourceVersion=0&limit=-1',
    'resourceVersion=0&timeoutSeconds=x',
  ])('of lists: %s', (text) => expect(versionOfList(query(text))).toBeUndefined());

  it.each([
    'resourceVersion=x',
    'timeoutSeconds=x',
    'limit=x',
    'continue=x',
    'sendInitialEvents=true',
    'resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    'sendInitialEvents=odd&resourceVersionMatch=NotOlderThan',
    'allowWatchBookmarks=odd',
  ])('of watches: %s', (text) => expect(watches(text)).toBe(false));
});
