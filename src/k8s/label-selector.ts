/**
 * `metav1.LabelSelector` as a field of an object: `matchLabels` and `matchExpressions`, which all must hold.
 * @see k8s.io/apimachinery pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector) at v0.36
 */
import { child, objects, strings, text } from './read.ts';
import { type LabelRequirement, LabelSelector } from './selector.ts';
import type { JsonObject } from './types.ts';

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** An empty selector picks everything; one that is not well-formed is undefined, and picks nothing. */
export function readLabelSelector(selector: JsonObject): LabelSelector | undefined {
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(child(selector, 'matchLabels'))) {
    if (typeof value !== 'string') return undefined;
    requirements.push({ key, operator: 'In', values: [value] });
  }
  for (const expression of objects(selector, 'matchExpressions')) {
    const operator = text(expression, 'operator');
    if (!OPERATORS.has(operator)) return undefined;
    const values = strings(expression, 'values');
    requirements.push({ key: text(expression, 'key'), operator: operator as LabelRequirement['operator'], values });
  }
  return new LabelSelector(requirements);
}

/** The other way round. `a=b` is written as a label, and what the field has no operator for is left out. */
export function writeLabelSelector({ requirements }: LabelSelector): JsonObject {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: JsonObject[] = [];
  for (const { key, operator, values } of requirements) {
    const [value] = values;
    if (operator === 'In' && values.length === 1 && value !== undefined) matchLabels[key] = value;
    else if (OPERATORS.has(operator))
      matchExpressions.push({ key, operator, ...(values.length > 0 && { values: [...values] }) });
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}
