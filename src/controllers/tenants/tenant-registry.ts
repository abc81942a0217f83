/**
 * The live tenants, read from the Tenant objects of the host. A Tenant that is being deleted or suspended is here, with
 * that phase, so that a request of it can be refused in plain words; one whose name is no id is not here at all.
 */
import { notSynced } from '../../errors.ts';
import type { Informer } from '../../k8s/informer.ts';
import { isTerminating, metadataOf, nameOf, uidOf } from '../../k8s/meta.ts';
import { child, strings, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { TenantRegistry } from '../../ports.ts';
import { type TenantId, tenantIdProblem } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';

export function createTenantRegistry(tenants: Informer): TenantRegistry {
  /** Objects of an informer never change, so each is read once. */
  const read = new WeakMap<JsonObject, Tenant>();

  function parsed(object: JsonObject): Tenant {
    let tenant = read.get(object);
    if (tenant === undefined) {
      tenant = readTenant(object);
      read.set(object, tenant);
    }
    return tenant;
  }

  function assertSynced(): void {
    if (!tenants.synced) throw notSynced('tenants');
  }

  return {
    get(id) {
      assertSynced();
      const object = tenants.get('', id);
      return object === undefined || tenantIdProblem(id) !== undefined ? undefined : parsed(object);
    },
    *all() {
      assertSynced();
      for (const object of tenants.list()) {
        if (tenantIdProblem(nameOf(object)) === undefined) yield parsed(object);
      }
    },
  };
}

/** What a Tenant object says. Anything that is not clearly `Active` is not served. */
export function readTenant(object: JsonObject): Tenant {
  const spec = child(object, 'spec');
  const status = child(object, 'status');
  return {
    id: nameOf(object) as TenantId,
    uid: uidOf(object),
    createdAt: text(metadataOf(object), 'creationTimestamp'),
    phase: phaseOf(object, spec, status),
    clientCaPem: text(status, 'clientCa'),
    policy: policyOf(object),
    administratorGroups: strings(spec, 'administratorGroups'),
    revokedCertificates: new Set(strings(spec, 'revokedCertificates')),
  };
}

/** The name of the policy that a Tenant object names. */
export function policyOf(tenant: JsonObject | undefined): string {
  return text(child(tenant ?? {}, 'spec'), 'policy') || 'default';
}

function phaseOf(object: JsonObject, spec: JsonObject, status: JsonObject): Tenant['phase'] {
  if (isTerminating(object)) return 'Terminating';
  if (spec['suspended'] === true) return 'Suspended';
  return status['phase'] === 'Active' && text(status, 'clientCa') !== '' ? 'Active' : 'Pending';
}
