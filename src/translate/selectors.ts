/**
 * Label and field selectors of a request in upstream terms. They are taken apart, mapped and put together anew, so that
 * no text of a client can widen what the proxy adds.
 *
 * A tenant sees no label below `kubeveil.dev/`, so terms on such keys are decided here: `!k` and `k!=v` hold for every
 * object and go; `k`, `k=v` and the like hold for none.
 */
import { ApiError } from '../errors.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import {
  type FieldRequirement,
  FieldSelector,
  type LabelRequirement,
  LabelSelector,
  parseFieldSelector,
  SelectorSyntaxError,
} from '../k8s/selector.ts';
import type { KindAtVersion, Target } from '../kinds/kind.ts';
import type { TenantName } from '../tenancy/names.ts';
import { ROOT_CA } from '../tenancy/root-ca.ts';
import { nameToUpstream, namingOf } from './names-check.ts';
import { isOwn } from './own-keys.ts';
import type { Scope } from './scope.ts';
import { apiVersionTargetUp, groupTargetUp } from './targets/group.ts';
import { nameTargetUp } from './targets/name.ts';
import { namespaceToUpstream } from './targets/namespace.ts';
import { NAMESPACE_NAME_LABEL } from './targets/namespace-selector.ts';

export interface SelectorTexts {
  readonly label: string;
  readonly field: string;
}

/** `nothing` is true when the client's selectors can pick no object of the tenant. */
export interface UpstreamSelectors extends SelectorTexts {
  readonly nothing: boolean;
}

/**
 * @param texts as the client sent them; empty for none
 * @param own label selector terms of the proxy, such as `kubeveil.dev/tenant=acme`, AND-ed to the client's
 * @throws {ApiError} ERR_BAD_REQUEST when a selector does not parse
 */
export function selectorsToUpstream(
  texts: SelectorTexts,
  at: KindAtVersion,
  scope: Scope,
  own: readonly string[] = [],
): UpstreamSelectors {
  const label = refusing(() => parseLabelSelector(texts.label));
  const field = refusing(() => parseFieldSelector(texts.field));
  const labels: LabelRequirement[] = [];
  let nothing = false;
  for (const requirement of label.requirements) {
    if (!isOwn(requirement.key)) labels.push(labelUp(requirement, at, scope));
    else if (requirement.operator !== 'DoesNotExist' && requirement.operator !== 'NotIn') nothing = true;
  }
  for (const term of own) labels.push(...parseLabelSelector(term).requirements);
  const { asked, isPossible } = at.class === 'virtual' ? ofVirtual(field.requirements, at) : ofAny(field.requirements);
  if (!isPossible) nothing = true;
  const fields = asked.map((requirement) => fieldUp(requirement, field.requirements, at, scope));
  // The host's own CA would count as one of a page.
  if (at.kind.naming?.is === 'rootCa') fields.push({ field: 'metadata.name', operator: '!=', value: ROOT_CA });
  return { label: new LabelSelector(labels).toString(), field: new FieldSelector(fields).toString(), nothing };
}

interface Fields {
  readonly asked: readonly FieldRequirement[];
  /** False where no object can have such fields. */
  readonly isPossible: boolean;
}

function ofAny(asked: readonly FieldRequirement[]): Fields {
  return { asked, isPossible: true };
}

/**
 * The native kind knows two fields, one of which its custom resource does not have where it is cluster-scoped; and those
 * that its row names.
 */
function ofVirtual(requirements: readonly FieldRequirement[], { kind }: KindAtVersion): Fields {
  const asked: FieldRequirement[] = [];
  const more = kind.selectable;
  let isPossible = true;
  for (const requirement of requirements) {
    const { field, operator, value } = requirement;
    // As the API server passes over it: `=` alone.
    if (field === '' && value === '') continue;
    if (field === 'metadata.name' || more?.includes(field) === true) asked.push(requirement);
    else if (field === 'metadata.namespace' && kind.namespaced) asked.push(requirement);
    else if (field === 'metadata.namespace' && more === undefined) {
      isPossible &&= (value === '') === (operator === '=');
    } else {
      const message =
        more === undefined
          ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
          : `field label not supported: ${field}`;
      throw new ApiError('ERR_BAD_REQUEST', message);
    }
  }
  return { asked, isPossible };
}

function labelUp(requirement: LabelRequirement, at: KindAtVersion, scope: Scope): LabelRequirement {
  if (requirement.key !== NAMESPACE_NAME_LABEL || at.kind.naming?.is !== 'namespace') return requirement;
  const values = requirement.values.map((value) => String(namespaceToUpstream(value, scope)));
  return { ...requirement, values };
}

function fieldUp(
  requirement: FieldRequirement,
  all: readonly FieldRequirement[],
  at: KindAtVersion,
  scope: Scope,
): FieldRequirement {
  const { field, value } = requirement;
  if (value === '') return requirement;
  if (field === 'metadata.name') return { ...requirement, value: nameToUpstream(value as TenantName, at, scope) };
  if (field === 'metadata.namespace') return { ...requirement, value: String(namespaceToUpstream(value, scope)) };
  const target = Object.hasOwn(at.kind.fieldSelectors, field) ? at.kind.fieldSelectors[field] : undefined;
  return target === undefined ? requirement : { ...requirement, value: valueUp(value, field, target, all, scope) };
}

function valueUp(value: string, field: string, target: Target, all: readonly FieldRequirement[], scope: Scope): string {
  switch (target.is) {
    case 'namespace':
      return String(namespaceToUpstream(value, scope));
    case 'name':
      return String(nameTargetUp(value, target.of, scope) ?? value);
    case 'group':
      return String(groupTargetUp(value, scope));
    case 'apiVersion':
      return String(apiVersionTargetUp(value, scope));
    case 'special':
      if (target.name === 'eventObjectName') return eventObjectName(value, field, all, scope);
      break;
  }
  throw new Error(
    `the table of kinds has the field selector ${field} hold ${JSON.stringify(target)}, which no code maps`,
  );
}

/** Whether an event's object has a mapped name its kind tells, which clients give in the same selector. */
function eventObjectName(value: string, field: string, all: readonly FieldRequirement[], scope: Scope): string {
  const base = field.slice(0, field.lastIndexOf('.'));
  const given = (name: string) => all.find((one) => one.field === `${base}.${name}` && one.operator === '=')?.value;
  const kind = given('kind');
  if (kind === undefined) return value;
  const apiVersion = given('apiVersion') ?? '';
  const slash = apiVersion.indexOf('/');
  const at = scope.kinds.preferredByKind(scope.tenant, slash < 0 ? '' : apiVersion.slice(0, slash), kind);
  if (at === undefined || namingOf(at) === 'same') return value;
  return nameToUpstream(value as TenantName, at, scope);
}

function refusing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw new ApiError('ERR_BAD_REQUEST', error.message);
    throw error;
  }
}
