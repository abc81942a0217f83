/**
 * The same requests to kube-apiserver, as its administrator, and to the product, as a tenant's: status, headers and body
 * agree, but for what `differences.ts` lists.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ServedKind, servedKinds } from '../../support/api.ts';
import { jsonOf, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';
import { everyKind } from './cases/every-kind.ts';
import { bodies, methods, negotiations } from './cases/forms.ts';
import { patches } from './cases/patches.ts';
import { reads } from './cases/reads.ts';
import { subresources } from './cases/subresources.ts';
import { watches } from './cases/watches.ts';
import { writes } from './cases/writes.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import { GADGETS, GIZMOS, SET_UP, SET_UP_CUSTOM } from './fixtures.ts';
import { judge } from './report.ts';
import { play, playAll, type Scenario, type Side, type Sides } from './scenario.ts';

const met = new Set<Difference>();

function sides(): Sides {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  const { acme, ...product } = inject('product');
  return {
    plain: { server, caPem, certPem: adminCertPem, keyPem: adminKeyPem },
    tenant: { server: product.server, caPem: product.caPem, certPem: acme.certPem, keyPem: acme.keyPem },
  };
}

async function isServed(side: Side, path: string): Promise<boolean> {
  return (await requestOnce({ ...side, path })).status === 200;
}

/** Those of the tenant that the plain server serves itself, but for reviews. */
async function servedByBoth(): Promise<ServedKind[]> {
  const { plain, tenant } = sides();
  const [theirs, ours] = await Promise.all(
    [plain, tenant].map((side) =>
      servedKinds(async (path, accept) => jsonOf(await requestOnce({ ...side, path, headers: { accept } }))),
    ),
  );
  const paths = new Set(theirs?.map((kind) => kind.collection()));
  const own = /^(?:|apps|autoscaling|batch|policy|(?!.*metrics)[a-z.]+\.k8s\.io)$/;
  return (ours ?? []).filter(
    ({ group, verbs, collection }) => paths.has(collection()) && own.test(group) && verbs.includes('get'),
  );
}

/** @param atOnce scenarios; those that change something have objects of their own */
async function same(scenarios: readonly Scenario[], atOnce?: number): Promise<void> {
  expect(scenarios.length).toBeGreaterThan(0);
  expect(judge(await playAll(scenarios, sides(), atOnce), met).join('\n')).toBe('');
}

beforeAll(async () => {
  const both = sides();
  expect(judge(await play(SET_UP, both), met).join('\n')).toBe('');
  await eventually('the custom kinds are served', async () => {
    const all = [both.plain, both.tenant].flatMap((side) =>
      [GADGETS, GIZMOS].map(({ collection }) => isServed(side, collection)),
    );
    return (await Promise.all(all)).every((served) => served);
  });
  expect(judge(await play(SET_UP_CUSTOM, both), met).join('\n')).toBe('');
});

describe('kube-apiserver and a virtual cluster answer alike', () => {
  // Reads first: what is written later is not what they compare.
  it('reads', () => same(reads()));
  it('watches', () => same(watches()));
  it('forms of answers', () => same(negotiations()));
  it('methods and paths', () => same(methods()));
  it('forms of bodies', () => same(bodies()));
  it('every kind', async () => {
    const kinds = await servedByBoth();
    expect(kinds.length).toBeGreaterThan(40);
    await same(everyKind(kinds), 16);
  });
  it('writes', () => same(writes()));
  it('patches', () => same(patches()));
  it('subresources', () => same(subresources()));
});

it('the page of differences has those that are compared with, and no other', () => {
  const page = readFileSync(new URL('../../../docs/differences.md', import.meta.url), 'utf8');
  const [ofRequests = ''] = page.split('\n## ');
  const rows = [...ofRequests.matchAll(/^\| ([^|]+) \|/gm)].map(([, title]) => title?.trim());
  expect(rows.slice(1).sort()).toEqual(DIFFERENCES.map(({ title }) => title).sort());
});

afterAll(() => {
  const unmet = DIFFERENCES.filter((difference) => !met.has(difference)).map(({ title }) => title);
  expect(unmet, 'differences that no request meets any more').toEqual([]);
});
