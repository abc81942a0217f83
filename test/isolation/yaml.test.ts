/**
 * YAML that means ill: a tenant that sends it, as much of it as it can, costs no other tenant anything, and the process
 * ends when it is told to, whatever it is reading.
 */
import { describe, expect, inject, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer, requestOnce } from '../support/http.ts';
import { eventually } from '../support/processes.ts';
import type { TenantFacts } from '../support/product.ts';
import { startReplica } from '../support/replica.ts';

const { acme, globex, facts } = useProduct();
const controlPlane = inject('controlPlane');
const LARGEST = 3 * 1024 * 1024;
/** As much as is taken, each in a form that keeps a reader busy for as long as it lets itself be kept. */
const BOMBS = [
  `a: &a {${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join(', ')}}\nb:\n${'- {<<: *a}\n'.repeat(200_000)}`,
  `[${','.repeat(LARGEST)}]`,
  '- a\n'.repeat(LARGEST / 4),
  '? '.repeat(262_000),
].map((text) => text.slice(0, LARGEST - 1));

function apply(tenant: TenantFacts, name: string, body: string, server = facts.server): Promise<RawAnswer> {
  const { caPem } = facts;
  const { certPem, keyPem } = tenant;
  const path = `/api/v1/namespaces/default/configmaps/${name}?fieldManager=test`;
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  return requestOnce({ server, caPem, certPem, keyPem, method: 'PATCH', path, headers, body });
}

const yaml = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: ${value}\n`;

describe('a tenant that sends YAML without end', () => {
  it('is refused, and holds up nobody else', async () => {
    const bombs = [...BOMBS, ...BOMBS, ...BOMBS, ...BOMBS].map((bomb) => apply(acme.facts, 'bomb', bomb));
    let refused = 0;
    for (const bomb of bombs) void bomb.then(() => refused++);
    for (let at = 0; at < 5; at++) {
      expect((await apply(globex.facts, 'calm', yaml('calm', `v${at}`))).status).toBeLessThan(300);
    }
    const statuses = (await Promise.all(bombs)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 400 && status !== 429)).toEqual([]);
    expect(statuses).toContain(429);
    expect(refused).toBe(bombs.length);
  });

  it('is served again after a while', async () => {
    await eventually(
      'acme’s YAML is read',
      async () => (await apply(acme.facts, 'after', yaml('after', 'v'))).status < 300,
      90_000,
    );
    await acme.kubectl('delete configmap after -n default');
  });
});

describe('YAML as large as a body may be', () => {
  it('is read', async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `  key-${at}: "${'x'.repeat(60)}"`);
    const large = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n${lines.join('\n')}\n`;
    expect(large.length).toBeGreaterThan(512 * 1024);
    const answer = await apply(globex.facts, 'large', large);
    expect({ status: answer.status, text: answer.status < 300 ? '' : answer.text }).toMatchObject({ status: 201 });
    expect(Object.keys(jsonOf<{ data: object }>(answer).data)).toHaveLength(10_000);
    await globex.kubectl('delete configmap large -n default');
  });
});

describe('a process that reads YAML', () => {
  it('ends when it is told to', async () => {
    const { child, server } = await startReplica(controlPlane, facts, 'ended');
    try {
      const bombs = Promise.allSettled(BOMBS.map((bomb) => apply(acme.facts, 'bomb', bomb, server)));
      expect((await apply(globex.facts, 'calm', yaml('calm', 'v'), server)).status).toBeLessThan(300);
      // The grace is ten seconds; whoever has to be killed has no exit code.
      const status = await child.stop(30_000);
      expect(status).toMatchObject({ code: 0 });
      await bombs;
    } finally {
      await child.kill();
      await globex.kubectl('delete configmap calm -n default');
    }
  });
});
