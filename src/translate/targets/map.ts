/** From what a field holds to the function that maps it. */
import type { JsonValue } from '../../k8s/types.ts';
import type { Target } from '../../kinds/kind.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { NotOurs } from '../not-ours.ts';
import { specialOf } from '../special/registry.ts';
import type { Walk } from '../walk.ts';
import { crdNameToTenant, crdNameToUpstream } from './crd-name.ts';
import { apiVersionTargetDown, apiVersionTargetUp, groupTargetDown, groupTargetUp } from './group.ts';
import { messageToTenant } from './message.ts';
import { nameTargetDown, nameUp } from './name.ts';
import { namespaceToTenant, namespaceToUpstream } from './namespace.ts';
import { namespaceSelectorDown, namespaceSelectorUp } from './namespace-selector.ts';
import { objectReferenceDown, objectReferenceUp } from './object-reference.ts';
import { subjectDown, subjectUp } from './subject.ts';

/** Maps one value in the direction of the walk. */
export function mapTarget(value: JsonValue, target: Target, walk: Walk): JsonValue {
  const mapped = walk.up ? mapUp(value, target, walk) : mapDown(value, target, walk);
  if (
    !walk.up &&
    typeof value === 'string' &&
    typeof mapped === 'string' &&
    mapped !== value &&
    target.is !== 'message'
  ) {
    walk.seen.set(value, mapped);
  }
  return mapped;
}

function mapUp(value: JsonValue, target: Target, walk: Walk): JsonValue {
  const { scope } = walk;
  switch (target.is) {
    case 'namespace':
      return namespaceToUpstream(value, scope);
    case 'name':
      return nameUp(value, target.of, walk);
    case 'group':
      return groupTargetUp(value, scope);
    case 'apiVersion':
      return apiVersionTargetUp(value, scope);
    case 'crdName':
      return typeof value === 'string' ? crdNameToUpstream(value as TenantName, scope) : value;
    case 'objectReference':
      return objectReferenceUp(value, walk);
    case 'namespaceSelector':
      return namespaceSelectorUp(value, walk);
    case 'subject':
      return subjectUp(value, walk);
    case 'message':
      return value;
    case 'special':
      return specialOf(target.name).up(value, walk);
  }
}

function mapDown(value: JsonValue, target: Target, walk: Walk): JsonValue {
  const { scope } = walk;
  switch (target.is) {
    case 'namespace':
      return namespaceToTenant(value, scope);
    case 'name':
      return nameTargetDown(value, target.of, scope);
    case 'group':
      return groupTargetDown(value, scope);
    case 'apiVersion':
      return apiVersionTargetDown(value, scope);
    case 'crdName': {
      if (typeof value !== 'string') return value;
      const name = crdNameToTenant(value as UpstreamName, scope);
      if (name === undefined) throw new NotOurs(`CRD ${JSON.stringify(value)} is not of ${scope.tenant.id}`);
      return name;
    }
    case 'objectReference':
      return objectReferenceDown(value, walk);
    case 'namespaceSelector':
      return namespaceSelectorDown(value, walk);
    case 'subject':
      return subjectDown(value, walk);
    case 'message':
      return typeof value === 'string' ? messageToTenant(value, scope, walk.seen) : value;
    case 'special':
      return specialOf(target.name).down(value, walk);
  }
}
