import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { checkListOptions } from './list-options.ts';

function refusal(query: string): string {
  const info = parseRequestInfo('GET', `/api/v1/pods?${query}`);
  if (!info.isResource) throw new Error('no resource');
  try {
    checkListOptions({ info });
    return '';
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
}

const INVALID = '422 ListOptions.meta.k8s.io "" is invalid: ';
const MATCH = 'resourceVersionMatch: ';

describe('options of a list', () => {
  it.each([
    '',
    'limit=5&timeoutSeconds=1',
    'limit=-1',
    'resourceVersion=5&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=NotOlderThan',
    'continue=abc&resourceVersionMatch=',
  ])('%s is well', (query) => {
    expect(refusal(query)).toBe('');
  });

  it.each([
    ['limit=x', '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ['timeoutSeconds=1.5', '400 strconv.ParseInt: parsing "1.5": invalid syntax'],
    [
      'resourceVersionMatch=Exact',
      `${INVALID}${MATCH}Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      `${INVALID}${MATCH}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      'resourceVersion=5&resourceVersionMatch=exact',
      `${INVALID}${MATCH}Unsupported value: "exact": supported values: "Exact", "NotOlderThan", ""`,
    ],
    [
      'resourceVersion=5&resourceVersionMatch=Exact&continue=a',
      `${INVALID}${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
    ['sendInitialEvents=false', `${INVALID}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
  ])('%s is refused', (query, message) => {
    expect(refusal(query)).toBe(message);
  });
});

describe('options of a watch', () => {
  it.each([
    '',
    'resourceVersion=5',
    'resourceVersion=5&continue=a',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  ])('%s is well', (query) => {
    expect(refusal(`watch=1&${query}`)).toBe('');
  });

  it.each([
    [
      'sendInitialEvents=true',
      `${INVALID}${MATCH}Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
    [
      'resourceVersionMatch=NotOlderThan',
      `${INVALID}${MATCH}Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [
      // It begins at "now", hence has initial events, hence a match.
      'continue=a',
      `${INVALID}${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
    ['limit=x', '400 strconv.ParseInt: parsing "x": invalid syntax'],
  ])('%s is refused', (query, message) => {
    expect(refusal(`watch=1&${query}`)).toBe(message);
  });
});
