/**
 * The conditions of a CertificateSigningRequest, which say what became of it: what stays as it was, when each changed,
 * and what kube-apiserver refuses in them, in its own words and order.
 *
 * @see k8s.io/kubernetes pkg/registry/certificates/certificates/strategy.go at v1.36
 * @see k8s.io/kubernetes pkg/apis/certificates/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import {
  duplicate,
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../k8s/field-problems.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { list } from '../field-checks.ts';

export const APPROVED = 'Approved';
export const DENIED = 'Denied';
export const FAILED = 'Failed';
const PATH = 'status.conditions';
/** In the order in which they are asked after. */
const DECISIONS = [APPROVED, DENIED] as const;
const ALWAYS_TRUE: ReadonlySet<string> = new Set([APPROVED, DENIED, FAILED]);
const STATUSES = ['False', 'True', 'Unknown'];

export function conditionsOf(request: JsonObject): JsonObject[] {
  return list(child(request, 'status'), 'conditions');
}

export function hasCondition(request: JsonObject, type: string): boolean {
  return ofType(conditionsOf(request), type).length > 0;
}

/** Those of an approval or denial are as they were, where there are as many: whoever signs does not change them. */
export function keepDecisions(conditions: JsonObject[], stored: readonly JsonObject[]): void {
  for (const type of DECISIONS) {
    const old = ofType(stored, type);
    const places = [...conditions.keys()].filter((at) => conditions[at]?.['type'] === type);
    if (places.length !== old.length) continue;
    for (const [index, at] of places.entries()) conditions[at] = { ...old[index] };
  }
}

/** Fills in, in place, when each was made or changed. @param now as it is to stand there */
export function dateConditions(conditions: readonly JsonObject[], stored: readonly JsonObject[], now: string): void {
  for (const condition of conditions) {
    condition['lastUpdateTime'] ??= now;
    const { type, status } = condition;
    const same = stored.find((old) => old['type'] === type && old['status'] === status && 'lastTransitionTime' in old);
    condition['lastTransitionTime'] ??= same?.['lastTransitionTime'] ?? now;
  }
}

/** What is wrong with the conditions by themselves. */
export function conditionProblems(request: JsonObject): FieldProblem[] {
  const conditions = conditionsOf(request);
  const types = conditions.map((condition) => text(condition, 'type'));
  return conditions.flatMap((condition, at) => {
    const field = `${PATH}[${at}]`;
    const [type, status] = [types[at] ?? '', text(condition, 'status')];
    const problems: FieldProblem[] = [];
    if (type === '') problems.push(required(`${field}.type`));
    const allowed = ALWAYS_TRUE.has(type) ? ['True'] : STATUSES;
    if (status === '') problems.push(required(`${field}.status`));
    else if (!allowed.includes(status)) problems.push(notSupported(`${field}.status`, status, allowed));
    const other = type === APPROVED ? DENIED : type === DENIED ? APPROVED : undefined;
    if (other !== undefined && types.slice(0, at).includes(other)) {
      problems.push(invalidValue(PATH, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (types.indexOf(type) < at) problems.push(duplicate(`${field}.type`, type));
    return problems;
  });
}

/** What may not change of them. @param decides whether this is where requests are approved and denied */
export function changeProblems(request: JsonObject, previous: JsonObject, decides: boolean): FieldProblem[] {
  const [now, before] = [conditionsOf(request), conditionsOf(previous)];
  const forbidden = (what: string, type: string) =>
    forbiddenField(PATH, `updates may not ${what} a condition of type "${type}"`);
  const removed = [...DECISIONS, FAILED].filter((type) => ofType(now, type).length < ofType(before, type).length);
  const problems = removed.map((type) => forbidden('remove', type));
  if (decides) return problems;
  for (const type of DECISIONS) {
    const [mine, old] = [ofType(now, type), ofType(before, type)];
    if (mine.length > old.length) problems.push(forbidden('add', type));
    else if (mine.length === old.length && !isDeepStrictEqual(mine, old)) problems.push(forbidden('modify', type));
  }
  return problems;
}

function ofType(conditions: readonly JsonObject[], type: string): JsonObject[] {
  return conditions.filter((condition) => condition['type'] === type);
}
