/** What every tenant has from its start without its being stored: system namespaces, default roles and bindings. */
import { createHash } from 'node:crypto';
import { cloneJson } from '../codec/json.ts';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { Provisioner } from '../ports.ts';
import type { TenantName } from '../tenancy/names.ts';
import { virtualNames } from '../tenancy/segments.ts';
import { SYSTEM_NAMESPACES, type Tenant } from '../tenancy/tenant.ts';
import type { Call, Host, Standing } from '../verbs/call.ts';
import { create } from '../verbs/create.ts';
import { listDefaults } from '../virtual/defaults.ts';

export interface StandingOptions {
  readonly provisioner: Provisioner;
  /** Asked for late, as the host holds what is made here. */
  readonly host: () => Host;
  /** Is an object of a virtual kind stored, by its upstream name? */
  readonly isStored: (resource: string, name: string) => boolean;
}

export function createStanding({ provisioner, host, isStored }: StandingOptions): Standing {
  return {
    isStored(tenant, at, name) {
      if (isNamespaces(at)) return host().namespaces.get(tenant.id, name as TenantName) !== undefined;
      return isStored(at.kind.resource, virtualNames(tenant.id).up(name as TenantName));
    },
    list(tenant, at) {
      if (isNamespaces(at)) return SYSTEM_NAMESPACES.map((name) => systemNamespace(tenant, name));
      return at.class === 'virtual' ? listDefaults(tenant, at.kind.group, at.kind.resource) : [];
    },
    async store(call, object) {
      if (!isNamespaces(call.at)) return await storeRole(call, object, host());
      await provisioner.ensureReady(call.tenant, nameOf(object) as TenantName);
      return true;
    },
  };
}

/** Stores a default role or binding as the tenant's own, unless it is stored already. */
async function storeRole(call: Call, object: JsonObject, host: Host): Promise<boolean> {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    ...metadata
  } = object['metadata'] as JsonObject;
  const bare: Host = { ...host, standing: { list: () => [], isStored: () => false, store: async () => false } };
  const plain: Call = {
    ...call,
    accept: { ...call.accept, as: undefined },
    info: { ...call.info, verb: 'create', name: '', subresource: '', query: new Map() },
    body: { contentType: 'application/json', document: { ...cloneJson(object), metadata } },
  };
  // Already stored (409) is as good; any other refusal meets the write that follows as well.
  const reply = await create(plain, bare);
  return reply.kind === 'object' && reply.status === 201;
}

function isNamespaces(at: KindAtVersion): boolean {
  return at.kind.group === '' && at.kind.resource === 'namespaces';
}

function systemNamespace(tenant: Tenant, name: TenantName): JsonObject {
  const hash = createHash('sha256').update(`${tenant.uid}/namespaces/${name}`).digest('hex');
  const uid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      uid,
      resourceVersion: '1',
      creationTimestamp: tenant.createdAt,
      labels: { 'kubernetes.io/metadata.name': name },
    },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}
