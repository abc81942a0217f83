/**
 * Clients written in Go, the language of the field: client-go's informers as it makes them by default, its leader
 * election and server-side apply, and an operator under a controller-runtime manager. What they check themselves is in
 * `test/clients/go`; here is what they say that they did.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { asClients } from './support/as-client.ts';
import { type GoPrograms, goPrograms, MAKING_MS } from './support/programs.ts';

const product = useProduct();
let programs: GoPrograms;
beforeAll(async () => {
  programs = await goPrograms();
}, MAKING_MS);

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** What the program says of each tenant: the same of both, but for their words. */
async function doneBy(work: string): Promise<Record<string, unknown>[]> {
  return await asClients(product, async ({ run, word }) => {
    return JSON.parse((await run(programs.clients, [work, `go-${work}`, word])).replaceAll(word, 'WORD'));
  });
}

describe('client-go', () => {
  it('follows kinds of every sort by typed informers, which read them in protobuf by one streamed list', async () => {
    for (const done of await doneBy('informers')) {
      expect(done).toMatchObject({
        heard: ['add before', 'add after', 'update after', 'delete after'],
        streamed: ['configmaps', 'namespaces', 'pods', 'nodes', 'deployments', 'clusterroles'],
        contentTypes: [PROTOBUF],
      });
    }
  });

  it('follows metadata alone, and a kind that the tenant defined, by metadata and dynamic informers', async () => {
    for (const done of await doneBy('metadata')) {
      expect(done).toMatchObject({
        heard: ['add one', 'update one', 'update one', 'add two', 'delete two'],
        held: { '/apis/dynamic.clients.example.com/v1/gadgets': 1, dynamic: 1 },
        streamed: 2,
        plain: 0,
      });
    }
  });

  it('elects a leader, and the next when that one steps down', async () => {
    for (const done of await doneBy('leader')) {
      expect(done).toMatchObject({ order: ['first', 'second'], holder: 'second', transitions: 1 });
    }
  });

  it('applies on the server: to native, virtual and own kinds, with conflicts, force and extraction', async () => {
    for (const done of await doneBy('apply')) {
      expect(done).toEqual({
        conflicts: {
          ConfigMap: 'Apply failed with 1 conflict: conflict with "first": .data.value',
          Deployment:
            'Apply failed with 1 conflict: conflict with "first": .spec.template.spec.containers[name="web"].image',
          ClusterRole: 'Apply failed with 1 conflict: conflict with "first": .rules',
          Gadget: 'Apply failed with 1 conflict: conflict with "first": .spec.value',
        },
        extracted: 'two',
        contentTypes: ['application/json', PROTOBUF],
      });
    }
  });
});

describe('controller-runtime', () => {
  it('runs an operator with cache, index, leader election, finalizer, owned objects and events', async () => {
    for (const done of await doneBy('manager')) {
      expect(done).toMatchObject({ sizes: [1, 3], event: 'made one', note: 'WORD', protobuf: true });
    }
  });
});
