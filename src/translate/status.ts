/**
 * A refusal by upstream, in the tenant's terms: message, details and causes. Known tokens are mapped, nothing else: what
 * this exchange sent up (renames), the tenant's namespaces, the impersonated user, and the group of virtual kinds.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */

import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { VIRTUAL_GROUP } from '../kinds/kind.ts';
import { goQuote } from '../lib/go-quote.ts';
import { PROXY_NAMESPACE, upstreamUser } from '../tenancy/host-names.ts';
import { INERT_PREFIX } from '../tenancy/inert.ts';
import type { TenantName } from '../tenancy/names.ts';
import { isRootCa } from '../tenancy/root-ca.ts';
import { countsInMessage } from './hidden-counts.ts';
import { nameToUpstream } from './names-check.ts';
import { endsInFailure, withoutOwnPolicies } from './own-policies.ts';
import { withoutOwnWords } from './own-words.ts';
import { withoutPodDifference } from './pod-client.ts';
import type { Scope } from './scope.ts';
import { groupToUpstream } from './targets/group.ts';
import { messageToTenant, prefixedToTenant } from './targets/message.ts';
import { namespaceToUpstream } from './targets/namespace.ts';

/** What the request named, in tenant terms. A ResourceInfo is one. */
export interface RequestNames {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace: TenantName | '';
}

/** Maps a Status in place. */
export function statusToTenant(status: JsonObject, scope: Scope, request: RequestNames): JsonObject {
  noteNames(request, scope);
  const text = (value: JsonValue | undefined) =>
    typeof value === 'string' ? textToTenant(value, scope, request) : (value ?? null);
  mapFields(status, ['message'], text);
  // Where a policy that changes objects fails, the API server says 403 and a reason that goes with 422.
  if (status['code'] === 403 && endsInFailure(String(status['message']))) status['reason'] = 'Forbidden';
  const { details, metadata } = status;
  if (isObject(metadata)) delete metadata['selfLink'];
  if (!isObject(details)) return status;
  mapFields(details, ['name', 'kind'], text);
  if (details['group'] === VIRTUAL_GROUP) details['group'] = request.group;
  else mapFields(details, ['group'], text);
  const { causes } = details;
  if (Array.isArray(causes)) {
    for (const cause of causes) if (isObject(cause)) mapFields(cause, ['message', 'field'], text);
  }
  return status;
}

/** The names of a request are the tenant's whether or not its body was sent up under this scope. */
function noteNames({ group, resource, name, namespace }: RequestNames, scope: Scope): void {
  if (namespace !== '') namespaceToUpstream(namespace, scope);
  groupToUpstream(group, scope);
  const at = name === '' ? undefined : scope.kinds.preferredByResource(scope.tenant, group, resource);
  if (at !== undefined) nameToUpstream(name as TenantName, at, scope);
}

/** Maps one text that upstream wrote about this request: an error, or a warning. */
export function textToTenant(text: string, scope: Scope, request: RequestNames): string {
  const namesMapped = isOtherRootCa(request) ? prefixedToTenant : messageToTenant;
  const mapped = namesMapped(
    withoutOddNames(withoutPodDifference(countsInMessage(withoutOwnPolicies(text), scope)), scope),
    scope,
  )
    .replaceAll(`.${VIRTUAL_GROUP}`, request.group === '' ? '' : `.${request.group}`)
    .replaceAll(`${VIRTUAL_GROUP}/`, request.group === '' ? '' : `${request.group}/`);
  return withoutOwnWords(withoutAccounts(withoutInert(mapped, scope), scope), scope);
}

/** True when the name of the ConfigMap with the CA is that of something else, which has it on both sides. */
function isOtherRootCa({ group, resource, name }: RequestNames): boolean {
  return isRootCa(name) && !(group === '' && resource === 'configmaps');
}

/** Values that no name can have, and that were mapped all the same: upstream quotes them whole when it refuses them. */
function withoutOddNames(text: string, scope: Scope): string {
  const odd = [...scope.renames.entries()].filter(([upstream]) => !/^[A-Za-z0-9._:-]*$/.test(upstream));
  odd.sort(([a], [b]) => b.length - a.length);
  return odd.reduce((all, [upstream, tenant]) => {
    const quoted = goQuote(upstream).slice(1, -1);
    return all.replaceAll(quoted, goQuote(tenant).slice(1, -1)).replaceAll(upstream, tenant);
  }, text);
}

const OWN_ACCOUNT = new RegExp(`"system:serviceaccount:${PROXY_NAMESPACE}:[a-z-]+"`, 'g');

/** The user that upstream saw is the impersonated one, or an account of the proxy: to the tenant it is the user. */
function withoutAccounts(text: string, scope: Scope): string {
  const user = scope.username ?? 'you';
  return text
    .replaceAll(`"${upstreamUser(scope.tenant.id)}"`, JSON.stringify(user))
    .replaceAll(OWN_ACCOUNT, JSON.stringify(user));
}

/** `kubeveil.inert/acme/User/alice` -> `alice`, `kubeveil.inert/acme/ServiceAccount/web:bot` -> `web:bot`. */
function withoutInert(text: string, scope: Scope): string {
  const prefix = `${INERT_PREFIX}${scope.tenant.id}/`;
  if (!text.includes(prefix)) return text;
  return ['User', 'Group', 'ServiceAccount'].reduce((all, kind) => all.replaceAll(`${prefix}${kind}/`, ''), text);
}

function mapFields(
  object: JsonObject,
  fields: readonly string[],
  map: (value: JsonValue | undefined) => JsonValue,
): void {
  for (const field of fields) if (Object.hasOwn(object, field)) object[field] = map(object[field]);
}
