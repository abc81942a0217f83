/** Tenants of a test: made and deleted as the host's administrator does it, waited for by watching. */
import type { Controllers } from '../../src/controllers/controllers.ts';
import type { Informer, InformerEvent } from '../../src/k8s/informer.ts';
import { nameOf, uidOf } from '../../src/k8s/meta.ts';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import type { Host } from './host.ts';

const PATH = '/apis/kubeveil.dev/v1alpha1/tenants';
const PATIENCE_MS = 90_000;

export interface TestTenant {
  readonly id: TenantId;
  readonly uid: string;
}

/** Resolves when the tenant is Active. */
export async function createTenant(
  host: Host,
  controllers: Controllers,
  id: string,
  policy = 'default',
): Promise<TestTenant> {
  const { status, body } = await host.admin.send('POST', PATH, {
    apiVersion: 'kubeveil.dev/v1alpha1',
    kind: 'Tenant',
    metadata: { name: id },
    spec: { policy },
  });
  if (status !== 201 || !isObject(body)) throw new Error(`tenant ${id} was refused: ${JSON.stringify(body)}`);
  const uid = uidOf(body);
  await heard(controllers.informers.tenants, `tenant ${id} is Active`, ({ type, object }) => {
    return type !== 'deleted' && uidOf(object) === uid && phaseOf(object) === 'Active';
  });
  return { id: id as TenantId, uid };
}

/** Resolves when the Tenant object is gone. */
export async function deleteTenant(host: Host, controllers: Controllers, id: string): Promise<void> {
  const known = controllers.informers.tenants.get('', id);
  const gone =
    known &&
    heard(controllers.informers.tenants, `tenant ${id} is gone`, ({ type, object }) => {
      return type === 'deleted' && uidOf(object) === uidOf(known);
    });
  await host.admin.send('DELETE', `${PATH}/${id}`);
  await gone;
}

function phaseOf(tenant: JsonObject): unknown {
  return isObject(tenant['status']) ? tenant['status']['phase'] : undefined;
}

/** Resolves at the first event that fits. @throws {Error} after a time that only a fault can take */
export function heard(
  informer: Informer,
  what: string,
  fits: (event: InformerEvent) => boolean,
): Promise<InformerEvent> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      stop();
      const names = [...informer.list()].map(nameOf).join(', ');
      reject(new Error(`not so after ${PATIENCE_MS} ms: ${what} (there are: ${names})`));
    }, PATIENCE_MS);
    // Subscribing tells of what is there at once, before there is a way to stop.
    let isDone = false;
    const stop = informer.subscribe((event) => {
      if (isDone || !fits(event)) return;
      isDone = true;
      clearTimeout(late);
      resolve(event);
      queueMicrotask(() => stop());
    });
  });
}
