/**
 * Requests that reach into a pod: logs, exec, attach, port-forward, and the pod's own HTTP. The host's API server makes
 * the connection to the kubelet or the pod; what is the tenant's of the request is put into upstream terms here, and
 * what the API server itself says comes back in the tenant's. What a pod says is its own, and is not read.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/ (subresources)
 * @see k8s.io/kubernetes pkg/registry/core/pod/rest at v1.36
 */
import { notFound } from '../errors.ts';
import type { Reply, ResourceRequest } from '../exchange.ts';
import type { Connect } from '../kinds/kind.ts';
import type { TenantName } from '../tenancy/names.ts';
import { type ConnectCall, type ConnectDeps, pathSegment, type Routed } from './call.ts';
import { log } from './log.ts';
import { proxy } from './proxy.ts';
import { tunnel } from './tunnel.ts';

const SERVE: Readonly<Record<Connect, (call: Routed, deps: ConnectDeps) => Promise<Reply>>> = {
  log,
  tunnel,
  proxy,
  service: proxy,
};

/** What the subresource of a request connects to; undefined for one that is served as an object. */
export function connects({ at, info }: Pick<ResourceRequest, 'at' | 'info'>): Connect | undefined {
  return at.kind.subresources[info.subresource]?.connect;
}

export async function connect(call: ConnectCall, how: Connect, deps: ConnectDeps): Promise<Reply> {
  return await SERVE[how](route(call, deps), deps);
}

/** @throws {ApiError} ERR_NOT_FOUND, as the API server says it, where the tenant has no such namespace */
function route(call: ConnectCall, deps: ConnectDeps): Routed {
  const { info, at, tenant, scope } = call;
  const namespace = info.namespace as TenantName;
  const state = deps.namespaces.state(tenant.id, namespace);
  // Without a guard the tenant has no right in it, and no pod either.
  if (state !== 'ready' && state !== 'terminating') {
    throw notFound({ group: info.group, what: info.resource, name: info.name });
  }
  const inNamespace = `namespaces/${encodeURIComponent(scope.names.up(namespace))}`;
  const steps = [at.upstreamResource, info.name, info.subresource].map(pathSegment);
  const path = `${at.upstreamRoot}/${inNamespace}/${steps.join('/')}`;
  return { ...call, as: { as: 'tenant', tenant: tenant.id, user: call.identity }, inNamespace, path };
}
