/**
 * The annotation that client-side apply keeps its last manifest in. What kubectl writes there is in the tenant's terms
 * and stays to the byte. After a server-side apply by kubectl the API server itself writes what was applied, and that is
 * in upstream terms: it is mapped like any object.
 *
 * @see k8s.io/apimachinery pkg/util/managedfields/internal/lastappliedupdater.go at v0.36
 */
import { JsonSyntaxError, parseJson, stringifyJson } from '../codec/json.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { VIRTUAL_GROUP } from '../kinds/kind.ts';
import type { TenantName } from '../tenancy/names.ts';
import { NotOurs } from './not-ours.ts';
import type { Scope } from './scope.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** @param toTenant maps a whole object; throws NotOurs for one in the tenant's own terms, which then stays */
export function lastAppliedDown(
  metadata: JsonObject,
  scope: Scope,
  toTenant: (object: JsonObject) => JsonObject,
): void {
  const { annotations } = metadata;
  if (!isObject(annotations) || !Object.hasOwn(annotations, LAST_APPLIED)) return;
  const text = annotations[LAST_APPLIED];
  if (typeof text !== 'string' || !isSuspicious(text, scope)) return;
  try {
    const object = parseJson(Buffer.from(text));
    if (!isObject(object)) return;
    annotations[LAST_APPLIED] = stringifyJson(toTenant(object)) + (text.endsWith('\n') ? '\n' : '');
  } catch (error) {
    // No JSON, or not in upstream terms: a note of the tenant's.
    if (!(error instanceof NotOurs) && !(error instanceof JsonSyntaxError)) throw error;
  }
}

function isSuspicious(text: string, scope: Scope): boolean {
  const prefix: string = scope.names.up('' as TenantName);
  return (prefix !== '' && text.includes(prefix)) || text.includes(VIRTUAL_GROUP);
}
