/**
 * Classes and volumes that trusted tenants hold: nobody else sees, uses or is blocked by them, and nothing of them acts on
 * the host. `holdax` and `rivalo` are trusted, acme is not.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { everyClass, priority, storage, volume } from '../support/class-samples.ts';
import { eventually } from '../support/processes.ts';
import { makeTrustedTenants, type TrustedTenants } from '../support/trusted-tenants.ts';

const PRIORITIES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const STORAGE = '/apis/storage.k8s.io/v1/storageclasses';
const HELD = 'sc,pc,runtimeclass,ingressclass,vac,deviceclass,pv';

const { acme, host } = useProduct();
let trusted: TrustedTenants;
let holder: TenantClient;
let rival: TenantClient;

beforeAll(async () => {
  for (const [path, object] of HOSTS) expect((await host.send('POST', path, object)).status).toBe(201);
  trusted = await makeTrustedTenants();
  ({ holder, rival } = trusted);
});
afterAll(async () => {
  for (const [path, { metadata }] of HOSTS) await host.send('DELETE', `${path}/${metadata.name}`);
});

/** Of the host, published by both policies. */
const HOSTS = [
  [PRIORITIES, priority('house-high', 7000)],
  [STORAGE, storage('house-disk')],
] as const;

function claim(name: string, storageClassName: string | undefined, more: JsonObject = {}) {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more };
  const chosen = storageClassName === undefined ? {} : { storageClassName };
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: { ...spec, ...chosen } };
}
function pod(name: string, spec: JsonObject = {}) {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'a', image: 'a' }], ...spec } };
}
const asList = (items: readonly unknown[]) => ({ apiVersion: 'v1', kind: 'List', items });

async function names(tenant: TenantClient, what: string): Promise<string[]> {
  const { items } = await tenant.get(what);
  return items.map(({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`);
}

describe('classes and volumes of a tenant', () => {
  it('bear the names that others’ bear, and meet none of them', async () => {
    for (const tenant of [holder, rival]) await tenant.create(asList(everyClass('same')));
    const seen = await names(holder, HELD);
    expect(seen.filter((name) => name.endsWith('/same'))).toHaveLength(7);
    const [mine, theirs] = await Promise.all([holder, rival].map((tenant) => tenant.get(`pc same`)));
    expect(mine.metadata.uid).not.toBe(theirs.metadata.uid);
    await rival.kubectl('label pc same team=a');
    expect((await holder.get('pc same')).metadata.labels).toBeUndefined();
    await rival.kubectl('delete sc,pc,runtimeclass,ingressclass,vac,deviceclass,pv same');
    expect((await names(holder, HELD)).filter((name) => name.endsWith('/same'))).toHaveLength(7);
  });

  it('are seen by nobody else', async () => {
    await holder.create(asList(everyClass('only-holders')));
    for (const tenant of [rival, acme]) {
      expect((await names(tenant, HELD)).join()).not.toContain('only-holders');
      for (const name of ['only-holders', 'holdax--only-holders']) {
        const { status } = await tenant.send(`${PRIORITIES}/${name}`, { typed: [name] });
        expect(status).toBe(404);
        expect((await tenant.send(`/api/v1/persistentvolumes/${name}`, { typed: [name] })).status).toBe(404);
      }
    }
  });

  it('serve nobody else', async () => {
    const ours = await holder.write(
      'POST',
      '/api/v1/namespaces/default/pods',
      pod('with', {
        priorityClassName: 'only-holders',
        runtimeClassName: 'only-holders',
      }),
    );
    expect(ours).toMatchObject({ status: 201, object: { spec: { priority: 100, priorityClassName: 'only-holders' } } });
    for (const tenant of [rival, acme]) {
      for (const name of ['only-holders', 'holdax--only-holders']) {
        const refused = await tenant.write(
          'POST',
          '/api/v1/namespaces/default/pods',
          pod('without', { priorityClassName: name }),
          { typed: [name] },
        );
        expect(refused).toMatchObject({
          status: 403,
          object: { message: `pods "without" is forbidden: no PriorityClass with name ${name} was found` },
        });
      }
    }
  });

  it('serve nobody else through a controller, whose words are the tenant’s', async () => {
    for (const tenant of [rival, acme]) {
      await tenant.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'hopeful', namespace: 'default' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'hopeful' } },
          template: {
            metadata: { labels: { app: 'hopeful' } },
            spec: pod('', { priorityClassName: 'only-holders' }).spec,
          },
        },
      });
      await eventually('the controller says that it cannot', async () => {
        const { items } = await tenant.get('events -n default');
        return items.some(({ message }: KubeObject) =>
          /no PriorityClass with name only-holders was found/.test(message),
        );
      });
      expect(await names(tenant, 'pods -n default -l app=hopeful')).toEqual([]);
      await tenant.kubectl('delete rs hopeful -n default');
    }
  });
});

describe('free volumes', () => {
  it.each([
    ['of no class', ''],
    ['of a class of the host', 'house-disk'],
    ['of a class that both have', 'twin'],
  ])('%s bind to claims of their tenant alone', async (_what, className) => {
    const name = `free-${className || 'none'}`;
    await holder.create(volume(name, className));
    for (const tenant of [rival, acme]) await tenant.create(claim(`wants-${name}`, className));
    // The binder has seen a later claim of the tenant's own, so it has seen those before.
    await holder.create(asList([volume(`${name}-2`, 'probe'), claim(`${name}-probe`, 'probe')]));
    await eventually(
      'the binder has been there',
      async () => (await holder.get(`pvc ${name}-probe`)).status.phase === 'Bound',
    );
    expect((await holder.get(`pv ${name}`)).status.phase).toBe('Available');
    for (const tenant of [rival, acme]) {
      expect((await tenant.get(`pvc wants-${name}`)).spec.volumeName).toBeUndefined();
      await tenant.kubectl(`delete pvc wants-${name} --wait=false`);
    }
    await holder.kubectl(`delete pvc ${name}-probe --wait=false`);
    await holder.kubectl(`delete pv ${name} --wait=false`);
  });

  it('bind to a claim of the tenant’s own, by class or by name', async () => {
    await holder.create(
      asList([
        volume('by-class', 'manual'),
        volume('by-name', undefined),
        volume('by-claim', 'house-disk', {
          claimRef: { namespace: 'default', name: 'by-claim' },
        }),
      ]),
    );
    await holder.create(
      asList([
        claim('by-class', 'manual'),
        claim('by-name', '', { volumeName: 'by-name' }),
        claim('by-claim', 'house-disk'),
      ]),
    );
    for (const name of ['by-class', 'by-name', 'by-claim']) {
      await eventually(`${name} is bound`, async () => (await holder.get(`pvc ${name}`)).status.phase === 'Bound');
      expect((await holder.get(`pvc ${name}`)).spec.volumeName).toBe(name);
      expect((await holder.get(`pv ${name}`)).spec.claimRef).toMatchObject({ namespace: 'default', name });
    }
    // What was read can be written again.
    for (const what of ['pvc by-name', 'pvc by-class', 'pv by-name', 'pv by-claim']) {
      const object = await holder.get(what);
      await holder.kubectl('replace -f -', { stdin: JSON.stringify(object) });
    }
  });

  it('cannot be kept for a claim of somebody else', async () => {
    const kept = volume('kept', '', { claimRef: { namespace: 'rivalo--default', name: 'x' } });
    const answer = await holder.write('POST', '/api/v1/persistentvolumes', kept, { typed: ['rivalo--default'] });
    expect(answer.status).toBe(201);
    const { spec } = (await host.send('GET', '/api/v1/persistentvolumes/holdax--kept')).body as KubeObject;
    expect(spec).toMatchObject({
      claimRef: { namespace: 'holdax--rivalo--default' },
      storageClassName: 'holdax---none',
    });
    await holder.kubectl('delete pv kept --wait=false');
  });
});

describe('the host’s classes', () => {
  it('stand beside the tenant’s own, in one list', async () => {
    await holder.create(priority('own-low', 5));
    const list = await holder.json(PRIORITIES);
    const all = list.items.map(({ metadata }: KubeObject) => metadata.name);
    expect(all).toEqual(expect.arrayContaining(['house-high', 'own-low']));
    expect(all).toEqual([...all].sort());
    expect(all.filter((name: string) => name.startsWith('system-'))).toEqual([]);
    const { metadata } = await holder.json(`${PRIORITIES}?limit=1`);
    expect(metadata.remainingItemCount).toBeUndefined();
  });

  it('come page by page', async () => {
    const found: string[] = [];
    let token = '';
    do {
      const page = await holder.json(`${PRIORITIES}?limit=1&continue=${token}`);
      found.push(...page.items.map(({ metadata }: KubeObject) => metadata.name));
      token = page.metadata.continue ?? '';
    } while (token !== '');
    const whole = await holder.json(PRIORITIES);
    expect(found.sort()).toEqual(whole.items.map(({ metadata }: KubeObject) => metadata.name));
  });

  it('come in one watch, from one revision', async () => {
    const { metadata } = await holder.json(PRIORITIES);
    using watch = await holder.watch(`${PRIORITIES}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    await rival.create(priority('of-rival', 1));
    expect((await host.send('POST', PRIORITIES, priority('house-low', 3))).status).toBe(201);
    await watch.until('house-low');
    await holder.create(priority('of-holder', 2));
    await watch.until('of-holder');
    holder.mustBeClean(watch.text);
    expect(watch.text).not.toContain('of-rival');
    await host.send('DELETE', `${PRIORITIES}/house-low`);
    await watch.until('DELETED');
    const asked = await holder.json(`${PRIORITIES}?fieldSelector=metadata.name%3Dof-holder`);
    expect(asked.items).toHaveLength(1);
    const hosts = await holder.json(`${PRIORITIES}?fieldSelector=metadata.name%3Dhouse-high`);
    expect(hosts.items).toHaveLength(1);
  });

  it('are used by name, and changed by nobody', async () => {
    expect(
      (await holder.write('POST', '/api/v1/namespaces/default/pods', pod('high', { priorityClassName: 'house-high' })))
        .object.spec.priority,
    ).toBe(7000);
    const refusal = {
      status: 403,
      object: { reason: 'Forbidden', message: expect.stringContaining('"house-high" is forbidden') },
    };
    const path = `${PRIORITIES}/house-high`;
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    expect(await holder.write('PATCH', path, { description: 'mine' }, merge)).toMatchObject(refusal);
    expect(await holder.write('DELETE', path, {})).toMatchObject(refusal);
    expect(await holder.write('PUT', path, priority('house-high', 7000))).toMatchObject(refusal);
    expect(await holder.write('POST', PRIORITIES, priority('house-high', 1))).toMatchObject({
      status: 409,
      object: { reason: 'AlreadyExists' },
    });
    expect(await holder.write('DELETE', `${PRIORITIES}/system-node-critical`, {})).toMatchObject({ status: 404 });
  });

  it('stay when the tenant deletes all', async () => {
    await rival.create(asList(everyClass('of-rival-too').slice(0, 2)));
    await rival.write('DELETE', PRIORITIES, {});
    expect(await names(rival, 'pc')).toEqual(['PriorityClass/house-high']);
    expect(await names(holder, 'pc')).toContain('PriorityClass/own-low');
    expect((await host.send('GET', `${PRIORITIES}/house-high`)).status).toBe(200);
  });

  it('of the system serve no tenant that the policy does not name', async () => {
    for (const tenant of [holder, acme]) {
      const asked = pod('critical', { priorityClassName: 'system-node-critical' });
      expect(await tenant.write('POST', '/api/v1/namespaces/default/pods', asked)).toMatchObject({ status: 403 });
    }
  });
});

describe('default marks', () => {
  it('are the tenant’s own and reach nobody else', async () => {
    const mark = 'storageclass.kubernetes.io/is-default-class';
    await holder.apply(asList([storage('mine', { [mark]: 'true' }), priority('usual', 42, { globalDefault: true })]));
    expect((await holder.get('sc mine')).metadata.annotations[mark]).toBe('true');
    expect(await holder.get('pc usual')).toMatchObject({ globalDefault: true });
    expect(await holder.kubectl('get sc mine')).toContain('mine (default)');
    const stored = (await host.send('GET', `${STORAGE}/holdax--mine`)).body as KubeObject;
    expect(stored.metadata.annotations[mark]).toBeUndefined();

    await holder.create(asList([pod('takes-default'), claim('takes-default', undefined)]));
    expect((await holder.get('pod takes-default')).spec).toMatchObject({ priorityClassName: 'usual', priority: 42 });
    expect((await holder.get('pvc takes-default')).spec.storageClassName).toBe('mine');
    for (const tenant of [rival, acme]) {
      await tenant.create(asList([pod('takes-default'), claim('takes-default', undefined)]));
      expect((await tenant.get('pod takes-default')).spec).toMatchObject({ priority: 0 });
      expect((await tenant.get('pvc takes-default')).spec.storageClassName).toBe('standard');
    }
  });

  it('are one, where there can be one', async () => {
    expect(await holder.write('POST', PRIORITIES, priority('second', 43, { globalDefault: true }))).toMatchObject({
      status: 403,
      object: { message: expect.stringContaining('PriorityClass usual is already marked as default') },
    });
    await holder.kubectl(`patch pc usual --type=merge -p '{"globalDefault":false}'`);
    expect((await holder.get('pc usual')).globalDefault).toBeUndefined();
    await holder.create(pod('takes-none'));
    expect((await holder.get('pod takes-none')).spec).toMatchObject({ priority: 0 });
  });
});

it('a tenant that goes leaves none of them', async () => {
  await trusted.remove(holder);
  await trusted.remove(rival);
  for (const path of [PRIORITIES, STORAGE, '/api/v1/persistentvolumes', '/apis/node.k8s.io/v1/runtimeclasses']) {
    const { items } = (await host.send('GET', path)).body as KubeObject;
    const left = items.map(({ metadata }: KubeObject) => metadata.name);
    expect(left.filter((name: string) => /^(holdax|rivalo)--/.test(name))).toEqual([]);
  }
});
