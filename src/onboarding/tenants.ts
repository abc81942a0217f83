/**
 * Tenants as an operator handles them: objects on the host cluster, made, listed, described and deleted with the
 * operator's own rights. The running proxy does the rest; these calls wait for it.
 */
import { readObject } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { isTerminating, nameOf, uidOf, versionOf } from '../k8s/meta.ts';
import { child, objects, strings, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { CertificatePair } from '../pki/certificates.ts';
import type { Upstream } from '../ports.ts';
import {
  clientCaSecretName,
  OWN_API_VERSION,
  PROXY_NAMESPACE,
  PROXY_NAMESPACE_PATH,
  PUBLIC_CONFIG_MAP,
  TENANTS_PATH,
} from '../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId, type TenantName, tenantIdProblem, tenantNames } from '../tenancy/names.ts';
import { tokenAudience } from '../tenancy/tenant.ts';
import { createHostClient, type HostClient, HostError } from '../upstream/host-client.ts';

/** The operator's own credential is sent; which identity is named makes no difference. */
const OPERATOR = { as: 'reader' } as const;

export interface TenantSpec {
  readonly policy: string;
  readonly administratorGroups?: string[];
}

/** A service account, as its tenant names it. */
export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export class Tenants {
  readonly #upstream: Upstream;
  readonly #host: HostClient;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#host = createHostClient(upstream, OPERATOR);
  }

  /** @throws {Error} for a bad id, or one in use, saying so */
  async create(id: string, spec: TenantSpec): Promise<JsonObject> {
    const problem = tenantIdProblem(id);
    if (problem !== undefined) throw new Error(`tenant id ${JSON.stringify(id)} ${problem}`);
    const tenant = { apiVersion: OWN_API_VERSION, kind: 'Tenant', metadata: { name: id }, spec: { ...spec } };
    try {
      return await this.#host.create(TENANTS_PATH, tenant);
    } catch (error) {
      if (!(error instanceof HostError) || error.status !== 409) throw told(error, `tenant ${id} could not be created`);
    }
    const existing = await this.get(id);
    throw new Error(
      existing !== undefined && isTerminating(existing)
        ? `tenant ${id} is still being deleted; the id is free once "kubeveil tenant describe ${id}" finds nothing`
        : `tenant ${id} exists already; choose another id, or get its kubeconfig with "kubeveil kubeconfig ${id}"`,
    );
  }

  /** Suspends a tenant or lets it back in. @throws {Error} when there is none */
  async suspend(id: string, suspended: boolean): Promise<void> {
    await this.mustGet(id);
    const what = `tenant ${id} could not be ${suspended ? 'suspended' : 'resumed'}`;
    await this.#host.merge(pathOf(id), { spec: { suspended } }).catch(telling(what));
  }

  /** Makes a client certificate count no more. @returns false when it did not count before */
  async revoke(id: string, serial: string): Promise<boolean> {
    for (;;) {
      const tenant = await this.mustGet(id);
      const revoked = strings(child(tenant, 'spec'), 'revokedCertificates');
      if (revoked.includes(serial)) return false;
      const metadata = { resourceVersion: versionOf(tenant) };
      try {
        await this.#host.merge(pathOf(id), { metadata, spec: { revokedCertificates: [...revoked, serial] } });
        return true;
      } catch (error) {
        // Somebody else has changed it in between.
        if (!(error instanceof HostError) || error.status !== 409)
          throw told(error, `tenant ${id} could not be changed`);
      }
    }
  }

  /** A token of a service account of the tenant, for its virtual cluster alone. @param account in tenant terms */
  async accountToken(tenant: JsonObject, account: AccountName, ttlMs: number): Promise<string> {
    const names = tenantNames(nameOf(tenant) as TenantId);
    const namespace = encodeURIComponent(names.up(account.namespace as TenantName));
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${encodeURIComponent(account.name)}/token`;
    const audiences = [tokenAudience({ uid: uidOf(tenant) })];
    const spec = { audiences, expirationSeconds: Math.floor(ttlMs / 1_000) };
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const what = `no token of service account ${account.namespace}/${account.name} could be had`;
    return text(child(await this.#host.create(path, request).catch(telling(what)), 'status'), 'token');
  }

  async list(): Promise<JsonObject[]> {
    return await this.#host.list(TENANTS_PATH).catch(telling('tenants could not be listed'));
  }

  async get(id: string): Promise<JsonObject | undefined> {
    return await this.#host.get(pathOf(id)).catch(telling(`tenant ${id} could not be read`));
  }

  /** @throws {Error} when there is none */
  async mustGet(id: string): Promise<JsonObject> {
    const tenant = await this.get(id);
    if (tenant === undefined) throw new Error(`there is no tenant ${id}; "kubeveil tenant list" shows those there are`);
    return tenant;
  }

  /** Namespaces of a tenant, in upstream terms. */
  async namespaces(id: string): Promise<JsonObject[]> {
    const selector = [['labelSelector', `${TENANT_LABEL}=${id}`]] as const;
    const listing = this.#host.list('/api/v1/namespaces', selector);
    return await listing.catch(telling(`namespaces of tenant ${id} could not be listed`));
  }

  /** @returns the tenant as it was. @throws {Error} when there is none */
  async delete(id: string): Promise<JsonObject> {
    const tenant = await this.mustGet(id);
    await this.#host.remove(pathOf(id), uidOf(tenant)).catch(telling(`tenant ${id} could not be deleted`));
    return tenant;
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
          identity: OPERATOR,
          method: 'GET',
          path: TENANTS_PATH,
          query: [
            ['watch', 'true'],
            // A watch without a word for long would look like a dead connection.
            ['allowWatchBookmarks', 'true'],
            ['fieldSelector', `metadata.name=${id}`],
            ['resourceVersion', seen === undefined ? '' : versionOf(seen)],
          ],
          signal,
        });
        for await (const line of lines(stream.chunks)) {
          const event = readObject(line);
          if (event['object'] === undefined || event['type'] === 'ERROR') break;
          if (event['type'] === 'BOOKMARK') continue;
          seen = event['type'] === 'DELETED' ? undefined : child(event, 'object');
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

  /** The tenant's CA, with its key. @throws {Error} also when it is that of an earlier tenant of the same id */
  async clientCa(tenant: JsonObject): Promise<CertificatePair> {
    const id = nameOf(tenant);
    const path = `${PROXY_NAMESPACE_PATH}/secrets/${clientCaSecretName(id as TenantId)}`;
    const unreadable = `the CA of tenant ${id} could not be read (are you allowed to read secrets in ${PROXY_NAMESPACE}?)`;
    const secret = await this.#host.get(path).catch(telling(unreadable));
    const owners = objects(child(secret, 'metadata'), 'ownerReferences');
    if (secret === undefined || !owners.some((owner) => owner['uid'] === uidOf(tenant))) {
      throw new Error(`the CA of tenant ${id} is not there yet; wait until the tenant is ready`);
    }
    const data = child(secret, 'data');
    return { certPem: decoded(text(data, 'tls.crt')), keyPem: decoded(text(data, 'tls.key')) };
  }

  /** Where tenants reach the proxy, as the running proxy says it. */
  async proxyAddress(): Promise<{ server: string; caPem: string }> {
    const path = `${PROXY_NAMESPACE_PATH}/configmaps/${PUBLIC_CONFIG_MAP}`;
    const map = await this.#host.get(path).catch(telling('the address of the proxy could not be read'));
    if (map === undefined) {
      throw new Error(
        'no proxy has run in front of this cluster yet; start one with "kubeveil serve", or give --server and --certificate-authority',
      );
    }
    const data = child(map, 'data');
    return { server: text(data, 'server'), caPem: text(data, 'ca.crt') };
  }
}

export function phaseOf(tenant: JsonObject | undefined): string {
  return text(child(tenant, 'status'), 'phase') || 'Pending';
}

/** Reasons of a condition that nothing but a change of the Tenant or of the proxy's files takes away. */
const STUCK: ReadonlySet<unknown> = new Set(['InvalidId', 'NamespaceTaken', 'PolicyNotFound']);

/** True when waiting will not help: the operator has to do something. */
export function isStuck(tenant: JsonObject | undefined): boolean {
  return objects(child(tenant, 'status'), 'conditions').some(({ reason }) => STUCK.has(reason));
}

/** What the tenant's conditions say, in one line. */
export function wordOf(tenant: JsonObject | undefined): string {
  if (tenant === undefined) return 'there is no such tenant';
  const words = objects(child(tenant, 'status'), 'conditions')
    .filter((one) => one['status'] !== 'True')
    .map((one) => `${one['type']}: ${one['message']}`);
  return words.join('; ') || 'no proxy has acted on it: is "kubeveil serve" running?';
}

function pathOf(id: string): string {
  return `${TENANTS_PATH}/${encodeURIComponent(id)}`;
}

/** For `catch`. */
function telling(what: string): (error: unknown) => never {
  return (error) => {
    throw told(error, what);
  };
}

function told(error: unknown, what: string): unknown {
  if (!(error instanceof HostError)) return error;
  const hint = error.status === 404 ? '; is kubeveil installed on this cluster (kubectl apply -f deploy/)?' : '';
  return new Error(`${what}: ${error.message}${hint}`, { cause: error });
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
