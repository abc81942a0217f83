import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { ApiError } from '../errors.ts';
import { isLongRunning } from './long-running.ts';
import { parseRequestInfo } from './parse.ts';

interface Vectors {
  resource: [method: string, target: string, expected: Record<string, unknown>][];
  nonResource: [method: string, target: string, verb: string, path: string][];
  refused: [method: string, target: string, status: number][];
  query: [target: string, parameters: Map<string, string>][];
}

const document = parseDocument(readFileSync(new URL('../../test/vectors/request-info.yaml', import.meta.url), 'utf8'));
const vectors = document.toJS() as Vectors;
const EMPTY = { group: '', subresource: '', rest: [], namespace: '', name: '', claimed: undefined };

function refusal(method: string, target: string): ApiError {
  try {
    parseRequestInfo(method, target);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${method} ${target} was not refused`);
}

describe('parseRequestInfo', () => {
  it.each(vectors.resource)('%s %s', (method, target, expected) => {
    const { query, ...info } = parseRequestInfo(method, target);
    expect(info).toEqual({ isResource: true, ...EMPTY, ...expected });
    expect(query).toBeInstanceOf(Map);
  });

  it.each(vectors.nonResource)('%s %s is no resource', (method, target, verb, path) => {
    const info = parseRequestInfo(method, target);
    expect(info).toMatchObject({ isResource: false, verb, path });
  });

  it.each(vectors.refused)('%s %s is refused', (method, target, status) => {
    expect(refusal(method, target).status).toBe(status);
  });

  it.each(vectors.query)('query of %s', (target, parameters) => {
    expect([...parseRequestInfo('GET', target).query].sort()).toEqual(Object.entries(parameters).sort());
  });

  it('keeps all words of a command, in order and whatever is in them', () => {
    const target =
      '/api/v1/namespaces/web/pods/a/exec?command=sh&command=-c&command=echo%0A%3B+a&stdin=true&command=sh';
    const info = parseRequestInfo('POST', target);
    expect(info.isResource && info.repeated).toEqual(new Map([['command', ['sh', '-c', 'echo\n; a', 'sh']]]));
    expect([...info.query]).toEqual([['stdin', 'true']]);
  });

  it('bounds the number of parameters', () => {
    const query = (count: number): string => Array.from({ length: count }, (_, at) => `p${at}=1`).join('&');
    expect(parseRequestInfo('GET', `/api/v1/pods?${query(100)}`).query.size).toBe(100);
    expect(refusal('GET', `/api/v1/pods?${query(101)}`).message).toContain('more than 100');
  });

  it('says what is wrong', () => {
    expect(refusal('GET', '/api//v1').message).toBe('the request URL is malformed: the path must not contain "//"');
  });
});

describe('isLongRunning', () => {
  it.each([
    ['/api/v1/pods?watch=1', true],
    ['/api/v1/namespaces/web/pods/a/log?follow=true', true],
    ['/api/v1/namespaces/web/pods/a/exec', true],
    ['/apis/custom.metrics.k8s.io/v1beta2/namespaces/web/pods/a/exec', false],
    ['/api/v1/pods', false],
    ['/api/v1/namespaces/web/pods/a/status', false],
    ['/version', false],
  ])('%s: %s', (target, expected) => {
    expect(isLongRunning(parseRequestInfo('GET', target))).toBe(expected);
  });
});
