/**
 * How fast an autoscaler scales: fields of `autoscaling/v2`, and an annotation of `v1` in which they have the names that
 * they have inside the API server.
 * @see kubernetes pkg/apis/autoscaling/types.go (HorizontalPodAutoscalerBehavior) at v1.36
 */
import { objects } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

const DIRECTIONS = ['scaleUp', 'scaleDown'] as const;
const RULES = ['stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance'] as const;
const POLICY = ['type', 'value', 'periodSeconds'] as const;

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

export function behaviorToAnnotation(behavior: JsonObject): JsonObject {
  return mapped(DIRECTIONS, (direction) => {
    const rules = behavior[direction];
    if (!isObject(rules)) return null;
    return mapped(RULES, (rule) => {
      if (rule !== 'policies' || !Array.isArray(rules[rule])) return rules[rule] ?? null;
      return objects(rules, rule).map((policy) => mapped(POLICY, (field) => policy[field] ?? null));
    });
  });
}

/** @returns undefined for what says nothing */
export function behaviorFromAnnotation(kept: JsonValue | undefined): JsonObject | undefined {
  if (kept === undefined || !isObject(kept)) return undefined;
  const behavior = present(DIRECTIONS, (direction) => {
    const rules = kept[capitalized(direction)];
    if (rules === undefined || !isObject(rules)) return undefined;
    return present(RULES, (rule) => {
      const value = rules[capitalized(rule)];
      if (rule !== 'policies' || !Array.isArray(value)) return value;
      return value.filter(isObject).map((policy) => present(POLICY, (field) => policy[capitalized(field)]));
    });
  });
  return Object.keys(behavior).length === 0 ? undefined : behavior;
}

/** With the names of inside. */
function mapped<Name extends string>(names: readonly Name[], read: (name: Name) => JsonValue): JsonObject {
  return Object.fromEntries(names.map((name) => [capitalized(name), read(name)]));
}

/** Without what is null. */
function present<Name extends string>(names: readonly Name[], read: (name: Name) => JsonValue | undefined): JsonObject {
  const made: JsonObject = {};
  for (const name of names) {
    const value = read(name);
    if (value !== undefined && value !== null) made[name] = value;
  }
  return made;
}
