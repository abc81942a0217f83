/** The JavaScript client: its informer, its typed and untyped clients and its server-side apply, in this very process. */
import {
  type ApiException,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
} from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { asClients, type ClientUser } from './support/as-client.ts';

const NAMESPACE = 'javascript';
const product = useProduct();

function configOf({ kubeconfigPath }: ClientUser): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  return config;
}

/** Runs the informer of ConfigMaps over all namespaces while `write` does, until it has heard of a deletion. */
async function heardWhile(config: KubeConfig, core: CoreV1Api, word: string, write: () => Promise<unknown>) {
  const labelSelector = `word=${word}`;
  const list = () => core.listConfigMapForAllNamespaces({ labelSelector });
  const informer = makeInformer(config, '/api/v1/configmaps', list, labelSelector);
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  for (const event of ['add', 'update', 'delete'] as const) {
    informer.on(event, ({ metadata }) => {
      heard.push(`${event} ${metadata?.name}`);
      if (event === 'delete') ended.resolve();
    });
  }
  informer.on('error', ended.reject);
  await informer.start();
  await write();
  await ended.promise;
  await informer.stop();
  return { heard, held: informer.list().map(({ metadata }) => metadata?.name) };
}

describe('@kubernetes/client-node', () => {
  it('follows objects by its informer while its clients write them', async () => {
    const both = await asClients(product, async (user) => {
      const config = configOf(user);
      const core = config.makeApiClient(CoreV1Api);
      const objects = KubernetesObjectApi.makeApiClient(config);
      const map = (name: string, data: Record<string, string>) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: NAMESPACE, labels: { word: user.word } },
        data,
      });
      await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
      await core.createNamespacedConfigMap({ namespace: NAMESPACE, body: map('before', {}) });
      const apply = (value: string) =>
        objects.patch(map('after', { value }), undefined, undefined, 'one', true, PatchStrategy.ServerSideApply);
      return await heardWhile(config, core, user.word, async () => {
        await apply('one');
        await apply('two');
        await objects.delete(map('after', {}));
      });
    });
    for (const done of both) {
      expect(done).toEqual({ heard: ['add before', 'add after', 'update after', 'delete after'], held: ['before'] });
    }
  });

  it('tells a refusal as the API server does', async () => {
    const both = await asClients(product, async (user) => {
      const core = configOf(user).makeApiClient(CoreV1Api);
      await core.listNamespace();
      return await core.readNamespacedSecret({ namespace: 'default', name: 'absent' }).then(
        () => 'found',
        (error: ApiException<string>) => [error.code, JSON.parse(error.body).message],
      );
    });
    for (const done of both) expect(done).toEqual([404, 'secrets "absent" not found']);
  });
});
