/**
 * The same request to the plain API server and to acme's virtual cluster, each under its administrator's certificate or
 * under a token of its own, and what tests of RBAC make on both.
 */
import { inject } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import type { KubeObject, TenantClient } from './as-tenant.ts';
import { jsonOf, type RawAnswer, type RawRequest, requestOnce } from './http.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export type Asked = Omit<RawRequest, 'server' | 'path'> & { path: string; json?: JsonValue };

/** Sends one request to the plain API server and to acme's cluster, under the administrators' certificates. */
export async function both(
  acme: TenantClient,
  { json, ...asked }: Asked,
): Promise<[plain: RawAnswer, virtual: RawAnswer]> {
  const plane = inject('controlPlane');
  const request = json === undefined ? asked : { ...asked, body: JSON.stringify(json) };
  const credential = asked.token === undefined ? { certPem: plane.adminCertPem, keyPem: plane.adminKeyPem } : {};
  return await Promise.all([
    requestOnce({ ...request, ...credential, server: plane.server, caPem: plane.caPem }),
    acme.send(asked.path, asked.token === undefined ? request : { ...request, certPem: undefined, keyPem: undefined }),
  ]);
}

/** As somebody whom the administrator becomes. */
export function as(user: string, ...groups: string[]): { headers: Record<string, string | string[]> } {
  return { headers: { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': groups }) } };
}

/** The refusal that an answer is, or its status alone. */
export function told(answer: RawAnswer): JsonValue {
  const object = jsonOf<JsonObject>(answer);
  if (object['kind'] !== 'Status' || answer.status < 300) return { status: answer.status };
  const { message, reason, details } = object as KubeObject;
  return { status: answer.status, message, reason, details };
}

export function role(kind: string, name: string, rules: JsonValue): JsonObject {
  return { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata: { name }, rules };
}
export function binding(
  kind: string,
  name: string,
  roleRef: [kind: string, name: string],
  user = 'someone',
): JsonObject {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind,
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind: roleRef[0], name: roleRef[1] },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: user }],
  };
}
