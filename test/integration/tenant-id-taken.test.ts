/**
 * A namespace that somebody made before the walls stood, and that looks like a tenant's: no tenant of that id is served,
 * or it would read what is in there. Needs a control plane of its own, since the walls let nobody make such a namespace.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../src/dev/control-plane.ts';
import { createKubeClient } from '../../src/dev/kube-client.ts';
import { nameOf } from '../../src/k8s/meta.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import { factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { prepareHost, runControllers } from '../support/host.ts';
import { heard } from '../support/tenants.ts';

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const NAMESPACES = '/api/v1/namespaces';

describe('a tenant whose prefix a namespace of the host has', () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startPrivateControlPlane({ nodes: 0 });
  });
  afterAll(() => cluster.stop());

  it('is not served until that namespace is gone, and says why', async () => {
    const facts = factsOf(cluster);
    const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = facts;
    const early = createKubeClient({ server, caPem, certPem, keyPem });
    const made = await early.send('POST', NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'taken--prod' },
    });
    expect(made.status).toBe(201);
    early.close();

    await using host = await prepareHost(facts);
    await using controllers = runControllers(host);
    await controllers.whenSynced();
    for (const name of ['taken', 'free']) {
      await host.admin.send('POST', TENANTS, {
        apiVersion: 'kubeveil.dev/v1alpha1',
        kind: 'Tenant',
        metadata: { name },
      });
    }
    await heard(controllers.informers.tenants, 'the reason', ({ object }) => {
      return nameOf(object) === 'taken' && /taken--prod/.test(JSON.stringify(object['status'] ?? ''));
    });
    await heard(controllers.informers.tenants, 'the twin is in service', ({ object }) => {
      return nameOf(object) === 'free' && phaseOf(object) === 'Active';
    });
    expect(controllers.tenants.get('taken' as TenantId)?.phase).toBe('Pending');

    expect((await host.admin.send('DELETE', `${NAMESPACES}/taken--prod`)).status).toBe(200);
    await heard(controllers.informers.tenants, 'it is in service', ({ object }) => {
      return nameOf(object) === 'taken' && phaseOf(object) === 'Active';
    });
  });
});

function phaseOf(object: Record<string, unknown>): unknown {
  return (object['status'] as { phase?: unknown } | undefined)?.phase;
}
