/**
 * The FlowSchemas and PriorityLevelConfigurations `exempt` and `catch-all`, which every API server has: whoever makes them
 * in a virtual cluster makes them so, or is refused as there. What is refused is quoted as Go prints it.
 *
 * @see k8s.io/kubernetes pkg/apis/flowcontrol/validation/validation.go and k8s.io/apiserver
 *   pkg/apis/flowcontrol/bootstrap/default.go at v1.36
 */
import { type FieldProblem, invalidValue } from '../../k8s/field-problems.ts';
import { nameOf } from '../../k8s/meta.ts';
import { child, objects, text } from '../../k8s/read.ts';
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { isSet } from '../field-checks.ts';

function schemaFor(level: string, precedence: number, groups: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...more,
    rules: [
      {
        subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  };
}

const FLOW_SCHEMAS: ReadonlyMap<string, JsonObject> = new Map([
  ['exempt', schemaFor('exempt', 1, ['system:masters'])],
  [
    'catch-all',
    schemaFor('catch-all', 10_000, ['system:unauthenticated', 'system:authenticated'], {
      distinguisherMethod: { type: 'ByUser' },
    }),
  ],
]);

const LEVELS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  ],
]);

/** @param schema with its defaults */
export function fixedSchemaProblems(schema: JsonObject): FieldProblem[] {
  const name = nameOf(schema);
  const fixed = FLOW_SCHEMAS.get(name);
  const shown = goSchema(child(schema, 'spec'));
  if (fixed === undefined || sameJson(shown, goSchema(fixed))) return [];
  return [invalidValue('spec', shown, `spec of '${name}' must equal the fixed value`)];
}

/** @param level with its defaults */
export function fixedLevelProblems(level: JsonObject): FieldProblem[] {
  const name = nameOf(level);
  const fixed = LEVELS.get(name);
  if (fixed === undefined) return [];
  const shown = goLevel(child(level, 'spec'));
  const want = goLevel(fixed);
  const isExempt = name === 'exempt';
  if (sameJson(isExempt ? { ...shown, Exempt: want['Exempt'] ?? null } : shown, want)) return [];
  const but = isExempt ? " except the 'spec.exempt' field" : '';
  return [invalidValue('spec', shown, `spec of '${name}'${but} must equal the fixed value`)];
}

function goSchema(spec: JsonObject): JsonObject {
  return {
    PriorityLevelConfiguration: { Name: text(child(spec, 'priorityLevelConfiguration'), 'name') },
    MatchingPrecedence: spec['matchingPrecedence'] ?? 0,
    DistinguisherMethod: orNull(spec, 'distinguisherMethod', (method) => ({ Type: text(method, 'type') })),
    Rules: listOf(spec, 'rules', (rule) => ({
      Subjects: listOf(rule, 'subjects', goSubject),
      ResourceRules: listOf(rule, 'resourceRules', (one) => ({
        Verbs: one['verbs'] ?? null,
        APIGroups: one['apiGroups'] ?? null,
        Resources: one['resources'] ?? null,
        ClusterScope: one['clusterScope'] ?? false,
        Namespaces: one['namespaces'] ?? null,
      })),
      NonResourceRules: listOf(rule, 'nonResourceRules', (one) => ({
        Verbs: one['verbs'] ?? null,
        NonResourceURLs: one['nonResourceURLs'] ?? null,
      })),
    })),
  };
}

function goSubject(subject: JsonObject): JsonObject {
  const named = (one: JsonObject) => ({ Name: text(one, 'name') });
  return {
    Kind: text(subject, 'kind'),
    User: orNull(subject, 'user', named),
    Group: orNull(subject, 'group', named),
    ServiceAccount: orNull(subject, 'serviceAccount', (one) => ({ Namespace: text(one, 'namespace'), ...named(one) })),
  };
}

function goLevel(spec: JsonObject): JsonObject {
  return {
    Type: text(spec, 'type'),
    Limited: orNull(spec, 'limited', (limited) => {
      const response = child(limited, 'limitResponse');
      return {
        NominalConcurrencyShares: limited['nominalConcurrencyShares'] ?? 0,
        LimitResponse: {
          Type: text(response, 'type'),
          Queuing: orNull(response, 'queuing', (queuing) => ({
            Queues: queuing['queues'] ?? 0,
            HandSize: queuing['handSize'] ?? 0,
            QueueLengthLimit: queuing['queueLengthLimit'] ?? 0,
          })),
        },
        LendablePercent: limited['lendablePercent'] ?? null,
        BorrowingLimitPercent: limited['borrowingLimitPercent'] ?? null,
      };
    }),
    Exempt: orNull(spec, 'exempt', (exempt) => ({
      NominalConcurrencyShares: exempt['nominalConcurrencyShares'] ?? null,
      LendablePercent: exempt['lendablePercent'] ?? null,
    })),
  };
}

function orNull(of: JsonObject, field: string, print: (value: JsonObject) => JsonObject): JsonValue {
  return isSet(of, field) ? print(child(of, field)) : null;
}

function listOf(of: JsonObject, field: string, print: (item: JsonObject) => JsonObject): JsonValue {
  return isSet(of, field) ? objects(of, field).map(print) : null;
}
