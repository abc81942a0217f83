/**
 * Which pods answer for a tenant's Service: those of its endpoints that name a pod of the same namespace. Addresses are
 * not looked at, for a tenant may write any; the pod is reached by its name, through its node.
 *
 * What was read is good for a moment, so that a webhook that is called all the time is not looked up all the time.
 *
 * @see k8s.io/apiserver pkg/util/proxy/proxy.go (ResolveEndpoint) at v0.36
 */
import { parseJson } from '../codec/json.ts';
import { child, objects } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { NamespaceRegistry, Upstream, UpstreamIdentity } from '../ports.ts';
import { type TenantName, tenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { WebhookFailure } from './webhook-failure.ts';

const KEPT_MS = 2_000;
const MOST_KEPT = 1_000;
/** Connections to a webhook are the virtual cluster's own, as they are the API server's elsewhere. */
const OWN = { username: 'system:apiserver', groups: ['system:masters'], uid: '', extra: {} };

export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Backend {
  readonly identity: UpstreamIdentity;
  /** Of the pod's subresource `portforward`. */
  readonly path: string;
  readonly port: number;
}

export interface ServiceBackends {
  /** One of those that are ready. @throws {WebhookFailure} */
  choose(tenant: Tenant, service: ServicePlace): Promise<Backend>;
  /** What is known of it was of no use. */
  forget(tenant: Tenant, service: ServicePlace): void;
}

export interface ServiceBackendsOptions {
  readonly upstream: Pick<Upstream, 'request'>;
  readonly namespaces: Pick<NamespaceRegistry, 'state'>;
  readonly nowMs?: () => number;
}

interface Kept {
  readonly backends: Promise<readonly Backend[]>;
  readonly untilMs: number;
}

export function createServiceBackends({
  upstream,
  namespaces,
  nowMs = Date.now,
}: ServiceBackendsOptions): ServiceBackends {
  const kept = new Map<string, Kept>();

  async function read(
    identity: UpstreamIdentity,
    path: string,
    query?: [string, string],
  ): Promise<JsonObject | undefined> {
    const { status, body } = await upstream.request({
      identity,
      method: 'GET',
      path,
      ...(query !== undefined && { query: [query] }),
      signal: AbortSignal.timeout(10_000),
    });
    if (status === 404) return undefined;
    const document = status === 200 ? parseJson(body) : undefined;
    if (isObject(document)) return document;
    throw new WebhookFailure('the endpoints of the service cannot be read at the moment');
  }

  async function find(tenant: Tenant, { namespace, name, port }: ServicePlace): Promise<readonly Backend[]> {
    const state = namespaces.state(tenant.id, namespace as TenantName);
    const missing = new WebhookFailure(`service ${JSON.stringify(name)} not found`);
    if (state !== 'ready' && state !== 'terminating') throw missing;
    const identity: UpstreamIdentity = { as: 'tenant', tenant: tenant.id, user: OWN };
    const upstreamNamespace = encodeURIComponent(tenantNames(tenant.id).up(namespace as TenantName));
    const root = `/api/v1/namespaces/${upstreamNamespace}`;
    const service = await read(identity, `${root}/services/${encodeURIComponent(name)}`);
    if (service === undefined) throw missing;
    const wanted = objects(child(service, 'spec'), 'ports').find((one) => one['port'] === port);
    if (wanted === undefined) {
      throw new WebhookFailure(`no service port ${port} found for service ${JSON.stringify(name)}`);
    }
    const label: [string, string] = ['labelSelector', `kubernetes.io/service-name=${name}`];
    const slices = await read(
      identity,
      `/apis/discovery.k8s.io/v1/namespaces/${upstreamNamespace}/endpointslices`,
      label,
    );
    const portName = wanted['name'] ?? '';
    return objects(slices, 'items').flatMap((slice) =>
      podsIn(slice, portName).map(({ pod, port: target }) => ({
        identity,
        path: `${root}/pods/${encodeURIComponent(pod)}/portforward`,
        port: target,
      })),
    );
  }

  const keyOf = ({ uid }: Tenant, place: ServicePlace) => `${uid}/${place.namespace}/${place.name}/${place.port}`;

  return {
    async choose(tenant, service) {
      const key = keyOf(tenant, service);
      let known = kept.get(key);
      if (known === undefined || known.untilMs <= nowMs()) {
        if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
        known = { backends: find(tenant, service), untilMs: nowMs() + KEPT_MS };
        kept.delete(key);
        kept.set(key, known);
        // A fault is not kept.
        known.backends.catch(() => kept.delete(key));
      }
      const backends = await known.backends;
      const chosen = backends[Math.floor(Math.random() * backends.length)];
      if (chosen !== undefined) return chosen;
      kept.delete(key);
      throw new WebhookFailure(`no endpoints available for service ${JSON.stringify(service.name)}`);
    },
    forget(tenant, service) {
      kept.delete(keyOf(tenant, service));
    },
  };
}

/** Pods of a slice that are ready, with the number of the port. */
function podsIn(slice: JsonObject, portName: unknown): { pod: string; port: number }[] {
  const port = objects(slice, 'ports').find((one) => (one['name'] ?? '') === portName)?.['port'];
  if (typeof port !== 'number') return [];
  return objects(slice, 'endpoints').flatMap((endpoint) => {
    const { kind, name } = child(endpoint, 'targetRef');
    const isReady = child(endpoint, 'conditions')['ready'] !== false;
    return isReady && kind === 'Pod' && typeof name === 'string' ? [{ pod: name, port }] : [];
  });
}
