/**
 * `semver('1.2.3-rc.1')`
 * @see k8s.io/apiserver pkg/cel/library/semverlib.go at v0.36; github.com/blang/semver/v4
 */
import { goQuote } from '../../lib/go-quote.ts';
import { textCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { Library } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { BOOL, INT, STRING, structOf } from '../types.ts';
import { Opaque } from '../values.ts';

const SEMVER = structOf('kubernetes.Semver');
const NUMBER = '(0|[1-9]\\d*)';
const PRE = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SYNTAX = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const UINT_MAX = 2n ** 64n - 1n;

class Semver extends Opaque {
  readonly typeName = SEMVER.name;
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

function parse(text: string): Semver | undefined {
  const match = SYNTAX.exec(text);
  if (match === null) return undefined;
  const numbers = [match[1], match[2], match[3]].map((digits) => BigInt(digits ?? '0'));
  if (numbers.some((number) => number > UINT_MAX)) return undefined;
  return new Semver(numbers as unknown as Semver['numbers'], match[4]?.split('.') ?? []);
}

/** `v1.02` -> `1.2.0` */
function normalized(text: string): Semver | undefined {
  const [major = '', minor, ...patch] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, patch.length === 0 ? undefined : patch.join('.')].filter((part) => part !== undefined);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return undefined;
  while (parts.length < 3) parts.push('0');
  return parse(parts.map((part) => part.replace(/^0+(?=\d)/, '')).join('.'));
}

function read(text: string, normalizes = false): Semver {
  const version = normalizes ? normalized(text) : parse(text);
  if (version === undefined) throw new EvaluationError(whyNot(text));
  return version;
}

function whyNot(text: string): string {
  if (text === '') return 'Version string empty';
  if (text.split('.').length < 3) return 'No Major.Minor.Patch elements found';
  const [major = '', minor = '', ...rest] = text.split('.');
  const patch = rest.join('.').replace(/[+-].*$/s, '');
  return (
    numberProblem('major', major) ??
    numberProblem('minor', minor) ??
    numberProblem('patch', patch) ??
    `Invalid character(s) found in version number ${goQuote(text)}`
  );
}

function numberProblem(part: string, digits: string): string | undefined {
  if (!/^\d*$/.test(digits)) return `Invalid character(s) found in ${part} number ${goQuote(digits)}`;
  if (!/^0\d/.test(digits)) return undefined;
  const named = part.charAt(0).toUpperCase() + part.slice(1);
  return `${named} number must not contain leading zeroes ${goQuote(digits)}`;
}

function compare(a: Semver, b: Semver): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Number(b.pre.length > 0) - Number(a.pre.length > 0);
  for (let index = 0; index < Math.min(a.pre.length, b.pre.length); index += 1) {
    const order = compareIdentifiers(a.pre[index] ?? '', b.pre[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** Numbers come before texts. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isA && isB) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (isA !== isB) return isA ? -1 : 1;
  return a < b ? -1 : 1;
}

const TWO = [SEMVER, SEMVER];
const number = (name: string, index: 0 | 1 | 2) =>
  declare(name, [member(`semver_${name}`, [SEMVER], INT, ({ numbers }: Semver) => numbers[index])]);
const is = (text: string, normalizes = false) => (normalizes ? normalized(text) : parse(text)) !== undefined;

export const SEMVER_LIBRARY: Library = {
  types: [SEMVER],
  functions: [
    declare(
      'semver',
      [
        overload('string_to_semver', [STRING], SEMVER, read),
        overload('string_bool_to_semver', [STRING, BOOL], SEMVER, read),
      ],
      ([text]) => textCost(text),
    ),
    declare(
      'isSemver',
      [overload('is_semver_string', [STRING], BOOL, is), overload('is_semver_string_bool', [STRING, BOOL], BOOL, is)],
      ([text]) => textCost(text),
    ),
    declare('isGreaterThan', [
      member('semver_is_greater_than', TWO, BOOL, (a: Semver, b: Semver) => compare(a, b) > 0),
    ]),
    declare('isLessThan', [member('semver_is_less_than', TWO, BOOL, (a: Semver, b: Semver) => compare(a, b) < 0)]),
    declare('compareTo', [member('semver_compare_to', TWO, INT, (a: Semver, b: Semver) => BigInt(compare(a, b)))]),
    number('major', 0),
    number('minor', 1),
    number('patch', 2),
  ],
};
