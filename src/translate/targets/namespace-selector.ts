/**
 * LabelSelectors over namespaces. Upstream `{}` picks every tenant's, so each is AND-ed with the tenant's label on the
 * way up; on the way down the label is taken out. Absent stays absent, `{}` stays `{}`.
 *
 * Refuses keys below `kubeveil.dev/`, of which a tenant sees none. Values of `kubernetes.io/metadata.name` are names of
 * namespaces and are mapped.
 */
import { forbiddenField } from '../../k8s/field-problems.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { OWN_PREFIX, TENANT_LABEL } from '../../tenancy/names.ts';
import { NotOurs } from '../not-ours.ts';
import type { Walk } from '../walk.ts';
import { namespaceToTenant, namespaceToUpstream } from './namespace.ts';

/** The label by which Kubernetes marks each namespace with its own name. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

export function namespaceSelectorUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  refuseOwnKeys(value, walk);
  const { matchLabels } = value;
  if (matchLabels === null && walk.shape !== 'whole') walk.needsLive('matchLabels: null');
  if (walk.shape === 'strategic' && ['$patch', '$retainKeys'].some((key) => Object.hasOwn(value, key))) {
    if (value['$patch'] !== 'replace') walk.needsLive('a directive on a namespace selector');
  }
  mapNames(value, (name) => namespaceToUpstream(name, walk.scope));
  if (matchLabels === undefined || matchLabels === null)
    value['matchLabels'] = { [TENANT_LABEL]: walk.scope.tenant.id };
  else if (isObject(matchLabels)) matchLabels[TENANT_LABEL] = walk.scope.tenant.id;
  return value;
}

/** @throws {NotOurs} when it picks namespaces of somebody else by name or label */
export function namespaceSelectorDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { matchLabels } = value;
  if (isObject(matchLabels) && Object.hasOwn(matchLabels, TENANT_LABEL)) {
    if (matchLabels[TENANT_LABEL] !== walk.scope.tenant.id)
      throw new NotOurs('a selector over another tenant’s namespaces');
    delete matchLabels[TENANT_LABEL];
    if (Object.keys(matchLabels).length === 0) delete value['matchLabels'];
  }
  mapNames(value, (name) => namespaceToTenant(name, walk.scope));
  return value;
}

function refuseOwnKeys(value: JsonObject, walk: Walk): void {
  const { matchLabels, matchExpressions } = value;
  const expressions = Array.isArray(matchExpressions) ? matchExpressions : [];
  const keys = [
    ...(isObject(matchLabels) ? Object.keys(matchLabels) : []),
    ...expressions.map((expression) => (isObject(expression) ? expression['key'] : undefined)),
  ];
  for (const key of keys) {
    if (typeof key !== 'string' || !key.startsWith(OWN_PREFIX)) continue;
    walk.refuse((field) => forbiddenField(field, `labels below ${OWN_PREFIX} are reserved`));
  }
}

function mapNames(value: JsonObject, map: (name: JsonValue) => JsonValue): void {
  const { matchLabels, matchExpressions } = value;
  if (isObject(matchLabels) && Object.hasOwn(matchLabels, NAMESPACE_NAME_LABEL)) {
    matchLabels[NAMESPACE_NAME_LABEL] = map(matchLabels[NAMESPACE_NAME_LABEL] ?? null);
  }
  if (!Array.isArray(matchExpressions)) return;
  for (const expression of matchExpressions) {
    if (!isObject(expression) || expression['key'] !== NAMESPACE_NAME_LABEL) continue;
    if (Array.isArray(expression['values'])) expression['values'] = expression['values'].map(map);
  }
}
