/** The Python client: what it does and checks itself is in `test/clients/python/client.py`; here is what it says it did. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { asClients } from './support/as-client.ts';
import { MAKING_MS, pythonWithClient } from './support/programs.ts';

const SCRIPT = fileURLToPath(new URL('python/client.py', import.meta.url));
const product = useProduct();
let python: string;
beforeAll(async () => {
  python = await pythonWithClient();
}, MAKING_MS);

describe('the Python client', () => {
  it('writes and reads, pages, watches, applies by the dynamic client, and makes what a manifest says', async () => {
    const namespace = 'python';
    const both = await asClients(product, async ({ run, word }) =>
      JSON.parse((await run(python, [SCRIPT, namespace, word])).replaceAll(word, 'WORD')),
    );
    for (const done of both) {
      expect(done).toEqual({
        crud: { listed: [[namespace, { more: 'of it' }]], gone: 'configmaps "map" not found' },
        pages: { names: ['page-0', 'page-1', 'page-2', 'page-3', 'page-4'], pages: 3 },
        watched: ['ADDED', 'MODIFIED', 'DELETED'].map((type) => [type, namespace, 'seen']),
        applied: { Service: ['python'], Widget: ['python'], large: '9007199254740993' },
        scale: 2,
      });
    }
  });
});
