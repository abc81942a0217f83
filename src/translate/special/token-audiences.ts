/**
 * Audiences of a TokenRequest. None means the host's own API upstream, for which no token of a tenant is ever asked: the
 * tenant's audience takes its place. Others are kept below it (src/tenancy/audiences.ts).
 */
import type { JsonValue } from '../../k8s/types.ts';
import { audienceToTenant, audienceToUpstream } from '../../tenancy/audiences.ts';
import { tokenAudience } from '../../tenancy/tenant.ts';
import type { Walk } from '../walk.ts';

export function tokenAudiencesUp(value: JsonValue, { scope }: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  if (value.length === 0) return [tokenAudience(scope.tenant)];
  return [...new Set(value.map((audience) => mapped(audience, (text) => audienceToUpstream(scope.tenant, text))))];
}

export function tokenAudiencesDown(value: JsonValue, { scope }: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((audience) => mapped(audience, (text) => audienceToTenant(scope.tenant, text)));
}

function mapped(audience: JsonValue, map: (text: string) => string): JsonValue {
  return typeof audience === 'string' ? map(audience) : audience;
}
