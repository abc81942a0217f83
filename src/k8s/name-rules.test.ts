import { describe, expect, it } from 'vitest';
import {
  DNS_LABEL,
  DNS_SUBDOMAIN,
  labelKeyProblem,
  labelKeyProblems,
  labelValueProblem,
  nameRuleOf,
  PATH_SEGMENT,
} from './name-rules.ts';

describe('names', () => {
  it.each([
    ['web', true],
    ['a-1', true],
    ['x--y', true],
    ['-web', false],
    ['web-', false],
    ['a.b', false],
    ['Web', false],
    ['', false],
    ['wéb', false],
    ['xn--p1ai', true],
    ['web\n', false],
  ])('a DNS label: %j %j', (name, good) => {
    expect(DNS_LABEL.problem(name) === undefined).toBe(good);
  });

  it.each([
    ['a.b', true],
    ['a', true],
    ['.', false],
    ['a..b', false],
    ['a.-b', false],
    ['system:x', false],
  ])('a DNS subdomain: %j %j', (name, good) => {
    expect(DNS_SUBDOMAIN.problem(name) === undefined).toBe(good);
  });

  it.each([
    ['system:node', true],
    ['Pod Reader', true],
    ['...', true],
    ['.', false],
    ['..', false],
    ['a/b', false],
    ['a%b', false],
  ])('a path segment: %j %j', (name, good) => {
    expect(PATH_SEGMENT.problem(name) === undefined).toBe(good);
  });

  it('go by kind', () => {
    expect(nameRuleOf('', 'namespaces')).toBe(DNS_LABEL);
    expect(nameRuleOf('rbac.authorization.k8s.io', 'clusterroles')).toBe(PATH_SEGMENT);
    expect(nameRuleOf('storage.k8s.io', 'storageclasses')).toBe(DNS_SUBDOMAIN);
  });
});

describe('labels', () => {
  it.each([
    ['app', true],
    ['example.com/app', true],
    ['a_b.c', true],
    ['', false],
    ['/a', false],
    ['a/', false],
    ['a/b/c', false],
    [`${'a'.repeat(254)}/b`, false],
    [`a/${'b'.repeat(64)}`, false],
  ])('key %j %j', (key, good) => {
    expect(labelKeyProblem(key) === undefined).toBe(good);
  });

  it.each([
    ['', true],
    ['a_B.c', true],
    ['-a', false],
    ['a'.repeat(64), false],
  ])('value %j %j', (value, good) => {
    expect(labelValueProblem(value) === undefined).toBe(good);
  });
});

describe('labelKeyProblems', () => {
  it.each([
    ['', ['name part must be non-empty', 'name part must consist of']],
    ['/', ['prefix part must be non-empty', 'name part must be non-empty', 'name part must consist of']],
    ['a/b/c', ['a valid label key must consist of']],
    [`${'a'.repeat(254)}/-`, ['prefix part must be no more than 253 bytes', 'name part must consist of']],
    [`A/${'b'.repeat(64)}`, ['prefix part a lowercase RFC 1123 subdomain', 'name part must be no more than 63 bytes']],
    ['example.com/a', []],
  ])('of %s are all told', (key, saying) => {
    expect(labelKeyProblems(key)).toEqual(saying.map((text) => expect.stringContaining(text)));
  });
});
