/**
 * `spec.conversion` of a CRD. A conversion webhook on the host blocks whoever lists that kind, the garbage collector
 * and other tenants' namespace deletions included, so only `None` goes up and a webhook is refused.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
import { notSupported } from '../../k8s/field-problems.ts';
import { isObject, type JsonValue } from '../../k8s/types.ts';
import type { Walk } from '../walk.ts';

export function crdConversionUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { strategy, webhook } = value;
  const isNone = strategy === undefined || strategy === null || strategy === 'None';
  if (isNone && (webhook === undefined || webhook === null)) return value;
  const why = 'conversion webhooks are not offered in this cluster';
  const text = typeof strategy === 'string' ? strategy : 'Webhook';
  return walk.refuse((field) => notSupported(field, text, ['None'], why), '.strategy');
}

export function crdConversionDown(value: JsonValue): JsonValue {
  return value;
}
