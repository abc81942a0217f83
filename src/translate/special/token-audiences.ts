/**
 * Audiences of a TokenRequest. None means the host's own API upstream, for which no token of a tenant is ever asked:
 * the tenant's audience takes its place, also where the tenant names the API by its usual names. Other audiences stay.
 */
import type { JsonValue } from '../../k8s/types.ts';
import { tokenAudience } from '../../tenancy/tenant.ts';
import type { Walk } from '../walk.ts';

/** By which clients name the API server itself: upstream these must never be asked for. */
const API_AUDIENCES = new Set([
  'https://kubernetes.default.svc.cluster.local',
  'https://kubernetes.default.svc',
  'kubernetes.default.svc',
  'api',
]);

export function tokenAudiencesUp(value: JsonValue, walk: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  const own = tokenAudience(walk.scope.tenant);
  if (value.length === 0) return [own];
  return [...new Set(value.map((audience) => (isApi(audience) ? own : audience)))];
}

/** The tenant's own audience is shown as it is: it is what the token says. */
export function tokenAudiencesDown(value: JsonValue): JsonValue {
  return value;
}

function isApi(audience: JsonValue): boolean {
  return typeof audience === 'string' && API_AUDIENCES.has(audience);
}
