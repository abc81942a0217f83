/**
 * Patterns in the schema of a tenant's CRD, which the host's API server matches against every object of the kind. What
 * that takes grows with the text times the pattern as it is with its repeats written out: `a{0,1000}` written a hundred
 * times is a hundred thousand steps for each character. Go refuses repeats that make more than 1,000 of one sign, nested
 * ones multiplied (`(a{0,1000}){10}`: invalid repeat count), but takes as many in a row as make three million steps.
 *
 * @see https://github.com/google/re2/wiki/Syntax and regexp/syntax/parse.go of Go 1.26
 */
import { invalidValue } from '../../k8s/field-problems.ts';
import { isObject, type JsonValue } from '../../k8s/types.ts';
import type { Walk } from '../walk.ts';

/** Of one pattern: about what `[a-z]{1,1000}` takes five times. */
const MOST_STEPS = 5_000;
/** Of all patterns in one schema: any number of them may be about the same text. */
const MOST_STEPS_OF_ALL = 100_000;
const SHOWN = 200;

/** @throws {ApiError} ERR_INVALID for a pattern, or more of them, than the host should match */
export function refuseVastPatterns(schema: JsonValue, walk: Walk): void {
  let steps = 0;
  const visit = (value: JsonValue, path: string): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`);
    else if (isObject(value)) {
      for (const [key, below] of Object.entries(value)) {
        const place = `${path}.${key}`;
        // A property of that name has a schema, which is no text.
        if (key !== 'pattern' || typeof below !== 'string') visit(below, place);
        else {
          const own = patternSteps(below);
          steps += own;
          if (own > MOST_STEPS) refuse(below, place, `a pattern may take ${MOST_STEPS} steps`, own);
          if (steps > MOST_STEPS_OF_ALL)
            refuse(below, place, `patterns of one schema may take ${MOST_STEPS_OF_ALL} steps together`, steps);
        }
      }
    }
  };
  const refuse = (pattern: string, place: string, limit: string, found: number): never => {
    const detail = `${limit} with its repeats written out, and this makes ${found}`;
    return walk.refuse((field) => invalidValue(field, pattern.slice(0, SHOWN), detail), place);
  };
  visit(schema, '');
}

const REPEAT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** How many steps a pattern has, with its repeats written out: not less than it really takes. */
export function patternSteps(pattern: string): number {
  /** Of the groups that are open, outermost first: steps so far. */
  const open: number[] = [];
  let total = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at] ?? '';
    const times = sign === '{' ? repeatAt(pattern, at) : undefined;
    if (times !== undefined) {
      total += last * (times - 1);
      last *= times;
    } else if (sign === '(') {
      open.push(total);
      [total, last] = [0, 0];
    } else if (sign === ')') {
      last = total + 2;
      total = (open.pop() ?? 0) + last;
    } else {
      total += 1;
      last = '*+?|'.includes(sign) ? last + 1 : 1;
    }
    at = times === undefined ? atomEnd(pattern, at) : pattern.indexOf('}', at) + 1;
  }
  return open.reduce((sum, outer) => sum + outer, total);
}

/** How often what stands before is to be repeated; undefined where the brace is a sign like any other. */
function repeatAt(pattern: string, at: number): number | undefined {
  REPEAT.lastIndex = at;
  const found = REPEAT.exec(pattern);
  if (found === null) return undefined;
  const [, least = '0', most] = found;
  // `{2,}` is `{2}` and one that goes round; `{0}` is still read.
  return Math.max(Number(most || least) + (most === '' ? 1 : 0), 1);
}

/** Behind one sign, what a backslash takes the meaning of, or a class, of which `]` may be the first member. */
function atomEnd(pattern: string, at: number): number {
  if (pattern[at] === '\\') return at + 2;
  if (pattern[at] !== '[') return at + 1;
  let end = at + (pattern[at + 1] === '^' ? 2 : 1);
  if (pattern[end] === ']') end += 1;
  while (end < pattern.length && pattern[end] !== ']') {
    const name = pattern.startsWith('[:', end) ? pattern.slice(end, end + MOST_IN_CLASS_NAME).indexOf(':]') : -1;
    if (name > 0) end += name + 2;
    else end += pattern[end] === '\\' ? 2 : 1;
  }
  return end + 1;
}

/** `[:^alnum:` and the like. */
const MOST_IN_CLASS_NAME = 12;
