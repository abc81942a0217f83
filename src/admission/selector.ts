/**
 * LabelSelectors as objects: `{matchLabels, matchExpressions}`.
 * @see k8s.io/apimachinery pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector) at v0.36
 */
import { objects, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';

/** An empty selector, and none, match everything. */
export function selects(selector: JsonObject | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return true;
  const { matchLabels } = selector;
  const wanted = isObject(matchLabels) ? Object.entries(matchLabels) : [];
  if (wanted.some(([key, value]) => labelOf(labels, key) !== value)) return false;
  return objects(selector, 'matchExpressions').every((expression) => holds(expression, labels));
}

function holds(expression: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = labelOf(labels, text(expression, 'key'));
  const values = strings(expression, 'values');
  switch (text(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** True for none and for one without any term. */
export function isEmpty(selector: JsonObject | undefined): boolean {
  if (selector === undefined) return true;
  const { matchLabels } = selector;
  const terms = isObject(matchLabels) ? Object.keys(matchLabels).length : 0;
  return terms === 0 && objects(selector, 'matchExpressions').length === 0;
}
