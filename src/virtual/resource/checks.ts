/**
 * Checks of lists, maps and names as `resource.k8s.io` makes them.
 * @see k8s.io/kubernetes pkg/apis/resource/validation/validation.go (validateSet, validateMap) at v1.36
 */
import { duplicate, type FieldProblem, invalidValue, tooLong, tooMany } from '../../k8s/field-problems.ts';
import { DNS_LABEL } from '../../k8s/name-rules.ts';
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import { nameFaults } from '../field-checks.ts';
import { driverNameProblems } from '../storage/csi-node.ts';

const MAX_ID = 32;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_TEXT =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
/** Keys are told in a path cut in their middle. */
export const QUALIFIED_LENGTH = 63 + 1 + MAX_ID;
export const LABEL_LENGTH = 63;

/** Items of a list that is not too long, each on its own, and no two of one key. */
export function setProblems<T>(
  items: readonly T[],
  max: number,
  path: string,
  check: (item: T, path: string) => FieldProblem[],
  keyOf: (item: T) => string,
): FieldProblem[] {
  if (items.length > max) return [tooMany(path, items.length, max)];
  const keys = items.map(keyOf);
  return [
    ...items.flatMap((item, at) => check(item, `${path}[${at}]`)),
    ...keys.flatMap((key, at) => (keys.indexOf(key) < at ? [duplicate(`${path}[${at}]`, key)] : [])),
  ];
}

/** @param max Infinity: any number @param keyLength from which a key is cut where it is told */
export function mapProblems(
  map: JsonObject,
  { max, keyLength, path }: { max: number; keyLength: number; path: string },
  checkKey: (key: string, path: string) => FieldProblem[],
  checkValue: (value: JsonValue, path: string) => FieldProblem[],
): FieldProblem[] {
  const entries = Object.entries(map);
  if (entries.length > max) return [tooMany(path, entries.length, max)];
  return entries.flatMap(([key, value]) => [
    ...checkKey(key, path),
    ...checkValue(value, `${path}[${cutInMiddle(key, keyLength)}]`),
  ]);
}

/** `[domain/]identifier` */
export function qualifiedProblems(name: string, path: string): FieldProblem[] {
  const [first = '', second, ...more] = name.split('/');
  // More than one slash is not refused, as by the API server.
  if (more.length > 0) return [];
  if (second === undefined) return identifierProblems(first, path);
  return [
    ...(first === '' ? [invalidValue(path, '', 'the domain must not be empty')] : driverNameProblems(first, path)),
    ...(second === '' ? [invalidValue(path, '', 'the name must not be empty')] : identifierProblems(second, path)),
  ];
}

export function labelProblems(name: string, path: string): FieldProblem[] {
  return nameFaults(path, name, DNS_LABEL);
}

function identifierProblems(id: string, path: string): FieldProblem[] {
  return [
    ...(id.length > MAX_ID ? [tooLong(path, MAX_ID)] : []),
    ...(IDENTIFIER.test(id) ? [] : [invalidValue(path, id, IDENTIFIER_TEXT)]),
  ];
}

function cutInMiddle(key: string, max: number): string {
  if (key.length <= max) return key;
  const rest = max - 3;
  return `${key.slice(0, Math.floor((rest + 1) / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}
