/**
 * Tenants as an operator handles them: objects on the host cluster, made, listed, described and deleted with the
 * operator's own rights. The running proxy does the rest; these calls wait for it.
 */

import { lines } from '../codec/lines.ts';
import { ApiError } from '../errors.ts';
import { metadataOf, uidOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { CertificatePair } from '../pki/certificates.ts';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../ports.ts';
import { tenantIdProblem } from '../tenancy/names.ts';

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const SYSTEM = '/api/v1/namespaces/kubeveil-system';

/** Sends with the operator's own credential; which identity is named makes no difference. */
export type HostRequest = Omit<UpstreamRequest, 'identity'>;

export class Tenants {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** @throws {Error} for a bad id, or one in use, saying so */
  async create(id: string, policy: string): Promise<JsonObject> {
    const problem = tenantIdProblem(id);
    if (problem !== undefined) throw new Error(`tenant id ${JSON.stringify(id)} ${problem}`);
    const answer = await this.#send({
      method: 'POST',
      path: TENANTS,
      contentType: 'application/json',
      body: JSON.stringify({
        apiVersion: 'kubeveil.dev/v1alpha1',
        kind: 'Tenant',
        metadata: { name: id },
        spec: { policy },
      }),
    });
    if (answer.status === 409) {
      const existing = await this.get(id);
      const going = existing !== undefined && metadataOf(existing)['deletionTimestamp'] !== undefined;
      throw new Error(
        going
          ? `tenant ${id} is still being deleted; the id is free once "kubeveil tenant describe ${id}" finds nothing`
          : `tenant ${id} exists already; choose another id, or get its kubeconfig with "kubeveil kubeconfig ${id}"`,
      );
    }
    return this.#object(answer, `tenant ${id} could not be created`);
  }

  async list(): Promise<JsonObject[]> {
    const list = this.#object(await this.#send({ method: 'GET', path: TENANTS }), 'tenants could not be listed');
    return (Array.isArray(list['items']) ? list['items'] : []).filter(isObject);
  }

  async get(id: string): Promise<JsonObject | undefined> {
    const answer = await this.#send({ method: 'GET', path: `${TENANTS}/${encodeURIComponent(id)}` });
    return answer.status === 404 ? undefined : this.#object(answer, `tenant ${id} could not be read`);
  }

  /** Namespaces of a tenant, in upstream terms. */
  async namespaces(id: string): Promise<JsonObject[]> {
    const answer = await this.#send({
      method: 'GET',
      path: '/api/v1/namespaces',
      query: [['labelSelector', `kubeveil.dev/tenant=${id}`]],
    });
    const list = this.#object(answer, `namespaces of tenant ${id} could not be listed`);
    return (Array.isArray(list['items']) ? list['items'] : []).filter(isObject);
  }

  async delete(id: string): Promise<JsonObject> {
    const answer = await this.#send({ method: 'DELETE', path: `${TENANTS}/${encodeURIComponent(id)}` });
    if (answer.status === 404)
      throw new Error(`there is no tenant ${id}; "kubeveil tenant list" shows those there are`);
    return this.#object(answer, `tenant ${id} could not be deleted`);
  }

  /**
   * Waits until `done` holds for the tenant as it is then (undefined: it is gone), following its changes.
   * @throws {Error} which tells the tenant's own word on why it is not, when the time is up
   */
  async waitFor(
    id: string,
    done: (tenant: JsonObject | undefined) => boolean,
    timeoutMs: number,
  ): Promise<JsonObject | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    let seen = await this.get(id);
    try {
      while (!done(seen)) {
        const stream = await this.#upstream.stream({
          identity: { as: 'reader' },
          method: 'GET',
          path: TENANTS,
          query: [
            ['watch', 'true'],
            ['fieldSelector', `metadata.name=${id}`],
            ['resourceVersion', seen === undefined ? '' : versionOf(seen)],
          ],
          signal,
        });
        for await (const line of lines(stream.chunks)) {
          const event: unknown = JSON.parse(line.toString('utf8'));
          if (!isObject(event) || !isObject(event['object']) || event['type'] === 'ERROR') break;
          seen = event['type'] === 'DELETED' ? undefined : event['object'];
          if (done(seen)) return seen;
        }
        seen = await this.get(id);
      }
      return seen;
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw new Error(`tenant ${id} did not get there within ${timeoutMs / 1_000} s: ${wordOf(seen)}`, { cause });
    }
  }

  /** The tenant's CA, with its key. */
  async clientCa(tenant: JsonObject): Promise<CertificatePair> {
    const id = String(metadataOf(tenant)['name']);
    const answer = await this.#send({ method: 'GET', path: `${SYSTEM}/secrets/tenant-ca-${id}` });
    const secret = this.#object(
      answer,
      `the CA of tenant ${id} could not be read (are you allowed to read secrets in kubeveil-system?)`,
    );
    const owners = metadataOf(secret)['ownerReferences'];
    const owned = Array.isArray(owners) && owners.some((owner) => isObject(owner) && owner['uid'] === uidOf(tenant));
    if (!owned)
      throw new Error(`the CA of tenant ${id} is of an earlier tenant of that name; wait until the new one is ready`);
    const data = isObject(secret['data']) ? secret['data'] : {};
    return { certPem: decoded(data['tls.crt']), keyPem: decoded(data['tls.key']) };
  }

  /** Where tenants reach the proxy, as the running proxy says it. */
  async proxyAddress(): Promise<{ server: string; caPem: string }> {
    const answer = await this.#send({ method: 'GET', path: `${SYSTEM}/configmaps/kubeveil-public` });
    if (answer.status === 404) {
      throw new Error(
        'no proxy has run in front of this cluster yet; start one with "kubeveil serve", or give --server and --certificate-authority',
      );
    }
    const map = this.#object(answer, 'the address of the proxy could not be read');
    const data = isObject(map['data']) ? map['data'] : {};
    return { server: String(data['server']), caPem: String(data['ca.crt']) };
  }

  #send(request: HostRequest): Promise<UpstreamResponse> {
    return this.#upstream.request({ ...request, identity: { as: 'reader' } });
  }

  #object(answer: UpstreamResponse, what: string): JsonObject {
    const body: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    if (answer.status < 300 && isObject(body)) return body;
    const message = isObject(body) ? String(body['message']) : `status ${answer.status}`;
    const hint = answer.status === 404 ? '; is kubeveil installed on this cluster (kubectl apply -f deploy/)?' : '';
    throw new ApiError(answer.status === 403 ? 'ERR_FORBIDDEN' : 'ERR_BAD_GATEWAY', `${what}: ${message}${hint}`);
  }
}

export function phaseOf(tenant: JsonObject | undefined): string {
  const status = tenant?.['status'];
  return isObject(status) && typeof status['phase'] === 'string' ? status['phase'] : 'Pending';
}

/** What the tenant's conditions say, in one line. */
export function wordOf(tenant: JsonObject | undefined): string {
  if (tenant === undefined) return 'there is no such tenant';
  const status = isObject(tenant['status']) ? tenant['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : [];
  const words = conditions.filter((one) => one['status'] !== 'True').map((one) => `${one['type']}: ${one['message']}`);
  return words.join('; ') || 'no proxy has acted on it: is "kubeveil serve" running?';
}

function decoded(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}
