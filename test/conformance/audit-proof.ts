/**
 * The proof, from the host's own audit log, that a run went through the proxy: what the host did for the tenant was asked
 * for by the proxy's accounts, and nobody of the suite ever spoke to the host himself.
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
 */
import { isObject, type JsonObject } from '../../src/k8s/types.ts';

const DATAPATH = 'system:serviceaccount:kubeveil-system:kubeveil-datapath';
/** How the suite and the kubectl that it runs introduce themselves. */
const SUITE_AGENT = /^(?:e2e\.test|kubectl|ginkgo)\b/;

export interface AuditProof {
  /** Requests that the data path made as the tenant. */
  readonly asTenant: number;
  /** Requests of the suite that reached the host without the proxy: `GET /api/v1/pods by admin`, each once. */
  readonly strays: readonly string[];
}

/** @param log JSON lines, of the run alone. @param tenant its id */
export function readAuditProof(log: string, tenant: string): AuditProof {
  let asTenant = 0;
  const strays = new Set<string>();
  for (const line of log.split('\n')) {
    if (line === '') continue;
    const entry: unknown = JSON.parse(line);
    if (!isObject(entry)) continue;
    const user = usernameOf(entry['user']);
    if (user === DATAPATH && usernameOf(entry['impersonatedUser']) === `kubeveil:${tenant}`) asTenant += 1;
    else if (SUITE_AGENT.test(String(entry['userAgent'])) && !isOfProxy(user)) strays.add(describe(entry, user));
  }
  return { asTenant, strays: [...strays] };
}

function isOfProxy(user: string): boolean {
  return user.startsWith('system:serviceaccount:kubeveil-system:kubeveil');
}

function usernameOf(user: unknown): string {
  return isObject(user) && typeof user['username'] === 'string' ? user['username'] : '';
}

function describe(entry: JsonObject, user: string): string {
  return `${String(entry['verb'])} ${String(entry['requestURI'])} by ${user}`;
}
