/**
 * kube-rs: what it does and checks itself is in `test/clients/rust`; here is what it says that it did. Not among what
 * `npm test` runs by itself: its first build takes minutes.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { useProduct } from '../../support/as-tenant.ts';
import { asClients } from '../support/as-client.ts';
import { MAKING_MS } from '../support/programs.ts';
import { rustClient } from '../support/rust-client.ts';

const product = useProduct();
let client: string;
beforeAll(async () => {
  client = await rustClient();
}, MAKING_MS);

describe('kube-rs', () => {
  it('reflects objects by a streamed list, applies them, and uses a kind as soon as it is established', async () => {
    const both = await asClients(product, async ({ run, word }) => JSON.parse(await run(client, ['rust', word])));
    for (const done of both) {
      expect(done).toEqual({
        followed: {
          there: { before: 'one' },
          conflict: 'Apply failed with 1 conflict: conflict with "first": .data.value',
          left: { after: 'two' },
          heard: ['before', 'after', 'after'],
        },
        applied: { large: ['9007199254740993'] },
      });
    }
  });
});
