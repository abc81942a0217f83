import { expect, it, vi } from 'vitest';
import type { Informer, InformerEvent } from '../../k8s/informer.ts';
import { nameOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { TenantRegistry } from '../../ports.ts';
import { TENANT_LABEL } from '../../tenancy/names.ts';
import { startTypeCheckController } from './type-check-controller.ts';

const policy = (tenant: string, name: string): JsonObject => ({
  metadata: { name: `${tenant}--${name}`, generation: 1, labels: { [TENANT_LABEL]: tenant } },
});

/** Rejects when the signal fires, as what waits for its turn does. */
const until = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('too late')));
  });

/** A controller that has looked at these; checks of policies of `stuck` last until they are let go. */
function started(stored: readonly JsonObject[], stuck: string) {
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  const checking: string[] = [];
  const written: string[] = [];
  const ended: string[] = [];
  const phases = new Map<string, string>();
  let tell: (event: InformerEvent) => void = () => {};
  const policies: Pick<Informer, 'subscribe' | 'get'> = {
    get: (_namespace, name) => stored.find((one) => nameOf(one) === name),
    subscribe(listener) {
      tell = listener;
      for (const object of stored) listener({ type: 'added', object } as InformerEvent);
      return () => {};
    },
  };
  const controller = startTypeCheckController({
    policies,
    tenants: { get: (id) => ({ id, phase: phases.get(id) ?? 'Active' }) } as Pick<TenantRegistry, 'get'>,
    view: (_tenant, object) => object,
    async warningsOf({ id }, object, signal) {
      checking.push(nameOf(object));
      signal.addEventListener('abort', () => ended.push(nameOf(object)));
      if (id === stuck) await Promise.race([released, until(signal)]);
      return [];
    },
    async writeStatus(_tenant, name) {
      written.push(name);
    },
    onError: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  return { ...{ controller, checking, written, ended, letGo, phases }, tell: (event: InformerEvent) => tell(event) };
}

it('a tenant whose checks have to wait keeps no other tenant’s waiting', async () => {
  const stored = [policy('acme', 'a'), policy('acme', 'b'), policy('globex', 'c')];
  const { controller, checking, written, letGo } = started(stored, 'acme');
  await vi.waitFor(() => expect(written).toEqual(['globex--c']));
  // One of a tenant at a time.
  expect(checking).toEqual(['acme--a', 'globex--c']);
  letGo();
  await vi.waitFor(() => expect(written).toEqual(['globex--c', 'acme--a', 'acme--b']));
  await controller.stop();
});

it('policies of a tenant that was gone for a while are looked at again', async () => {
  const [object] = [policy('acme', 'a')];
  const { controller, written, phases, tell } = started([object], 'nobody');
  await vi.waitFor(() => expect(written).toEqual(['acme--a']));
  phases.set('acme', 'Terminating');
  tell({ type: 'deleted', object } as InformerEvent);
  phases.set('acme', 'Active');
  tell({ type: 'added', object } as InformerEvent);
  await vi.waitFor(() => expect(written).toEqual(['acme--a', 'acme--a']));
  await controller.stop();
});

it.each([
  ['is deleted', 'deleted', { generation: 1 }],
  ['is changed', 'modified', { generation: 2 }],
  ['is made again', 'modified', { generation: 1, uid: 'another' }],
] as const)('the check of a policy that %s ends, and the next begins', async (_what, type, metadata) => {
  const stored = [policy('acme', 'a'), policy('acme', 'b')];
  const { controller, checking, written, ended, letGo, tell } = started(stored, 'acme');
  await vi.waitFor(() => expect(checking).toEqual(['acme--a']));
  const [object = {}] = stored;
  // As when its status is written: nothing of it changed.
  tell({ type: 'modified', object } as InformerEvent);
  expect(ended).toEqual([]);
  const changed = { ...object, metadata: { ...(object['metadata'] as JsonObject), ...metadata } };
  if (type === 'deleted') stored.shift();
  else stored[0] = changed;
  tell({ type, object: changed } as InformerEvent);
  expect(ended).toEqual(['acme--a']);
  await vi.waitFor(() => expect(checking).toContain('acme--b'));
  letGo();
  const left = type === 'deleted' ? ['acme--b'] : ['acme--a', 'acme--b'];
  await vi.waitFor(() => expect(written.toSorted()).toEqual(left));
  await controller.stop();
});
