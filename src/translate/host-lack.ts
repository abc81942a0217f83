/**
 * Refusals by the host's authorizer of what the tenant's own roles have allowed. The rights of the proxy's accounts, and of
 * tenants on the host, are those of the manifests and of each tenant's guard. So this is an API server that has just
 * started and has not read all roles yet, or a guard that is being made: none of the tenant's rights is lacking, which
 * clients would take it for, and would not try again. Its words name users and roles of the host.
 *
 * What an authorizer of the host's own gives a reason for is the tenant's to hear.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go at v0.36, forbiddenMessage
 */
import { ApiError } from '../errors.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { ACCOUNTS, PROXY_NAMESPACE, upstreamUser } from '../tenancy/host-names.ts';
import type { TenantId } from '../tenancy/names.ts';

const FORBIDDEN =
  /(?:^| )User "([^"]*)" cannot \S+ (?:path "[^"]*"|resource "[^"]*" in API group "[^"]*"(?: in the namespace "[^"]*"| at the cluster scope))(.*)$/s;
const OWN_ACCOUNTS: ReadonlySet<string> = new Set(
  Object.values(ACCOUNTS).map((account) => `system:serviceaccount:${PROXY_NAMESPACE}:${account}`),
);

const WHY = 'upstream-refused';

/** True of what is thrown for such a refusal: who may ask as another account may do that. */
export function isHostLack(error: unknown): boolean {
  return error instanceof ApiError && error.why === WHY;
}

/** @throws {ApiError} ERR_UNAVAILABLE where the answer is such a refusal */
export function refuseHostLack(status: number, document: JsonObject, tenant: TenantId): void {
  if (status !== 403) return;
  const message = text(document, 'message');
  const [, user = '', reason = ''] = FORBIDDEN.exec(message) ?? [];
  // RBAC tells of roles that it has not found; what it has looked at and found lacking, it says nothing of.
  const isLack =
    OWN_ACCOUNTS.has(user) || (user === upstreamUser(tenant) && (reason === '' || /\bRBAC: /.test(reason)));
  if (!isLack) return;
  throw new ApiError('ERR_UNAVAILABLE', 'the cluster is not ready at the moment; try again', {
    why: WHY,
    details: { retryAfterSeconds: 1 },
    cause: new Error(message),
  });
}
