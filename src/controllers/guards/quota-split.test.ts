import { describe, expect, it } from 'vitest';
import type { ShareFacts } from './quota-facts.ts';
import { split } from './quota-split.ts';

const ONE = 1_000_000_000n;
const PODS = 'pods';

/** A host as far as quotas go: what is in force follows what is stored, when it gets round to it. */
class Host {
  readonly total: bigint;
  readonly namespaces = new Map<
    string,
    { given: bigint; stored: bigint; force: bigint; used: bigint; isGoing: boolean }
  >();

  constructor(total: bigint) {
    this.total = total;
  }

  facts(): Map<string, ShareFacts> {
    return new Map(
      [...this.namespaces].map(([name, { given, stored, force, used, isGoing }]) => {
        const of = (amount: bigint) => new Map([[PODS, amount]]);
        return [name, { isGoing, given: of(given), inForce: of(most(stored, force)), used: of(used) }];
      }),
    );
  }

  rebalance(): void {
    const shares = split(new Map([[PODS, this.total]]), this.facts());
    for (const [name, namespace] of this.namespaces) namespace.given = shares.get(name)?.get(PODS) ?? 0n;
  }

  /** The most that could be used, whatever the host gets round to. */
  atMost(): bigint {
    return [...this.namespaces.values()].reduce((sum, one) => {
      return sum + most(one.given, one.stored, one.force, one.used);
    }, 0n);
  }
}

function most(...values: bigint[]): bigint {
  return values.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}

/** A generator of numbers that gives the same ones each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('a quota that is split', () => {
  it('never adds up to more than the whole, whatever happens when', () => {
    let used = 0n;
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = random(seed);
      const host = new Host(BigInt(1 + next(40)) * ONE);
      for (let step = 0; step < 150; step += 1) {
        const names = [...host.namespaces.keys()];
        const name = names[next(Math.max(names.length, 1))] ?? '';
        const one = host.namespaces.get(name);
        switch (next(7)) {
          case 0:
            host.namespaces.set(`n${step}`, { given: 0n, stored: 0n, force: 0n, used: 0n, isGoing: false });
            break;
          case 1:
            if (one !== undefined && next(4) === 0) one.isGoing = true;
            if (one?.isGoing === true && one.used === 0n) host.namespaces.delete(name);
            break;
          case 2:
            if (one !== undefined) one.stored = one.given;
            break;
          case 3:
            if (one !== undefined) one.force = one.stored;
            break;
          case 4:
            if (one !== undefined && !one.isGoing && one.used + ONE <= one.force) one.used += ONE;
            break;
          case 5:
            if (one !== undefined && one.used > 0n) one.used -= ONE;
            break;
          default:
            host.rebalance();
        }
        expect(host.atMost() <= host.total, `seed ${seed}, step ${step}`).toBe(true);
      }
      used += [...host.namespaces.values()].reduce((sum, one) => sum + one.used, 0n);
    }
    expect(used).toBeGreaterThan(0n);
  });

  it('lets one namespace use nearly all when no other uses any', () => {
    const host = new Host(100n * ONE);
    for (const name of ['a', 'b', 'c']) {
      host.namespaces.set(name, { given: 0n, stored: 0n, force: 0n, used: 0n, isGoing: false });
    }
    const a = host.namespaces.get('a') ?? expect.fail();
    for (let round = 0; round < 60; round += 1) {
      host.rebalance();
      for (const one of host.namespaces.values()) one.force = one.stored = one.given;
      a.used = a.force;
    }
    expect(a.used / ONE).toBeGreaterThanOrEqual(90n);
  });

  it('leaves shares alone while little changes', () => {
    const host = new Host(100n * ONE);
    host.namespaces.set('a', { given: 0n, stored: 0n, force: 0n, used: 0n, isGoing: false });
    host.rebalance();
    const a = host.namespaces.get('a') ?? expect.fail();
    expect(a.given / ONE).toBe(50n);
    a.force = a.stored = a.given;
    a.used = 5n * ONE;
    host.rebalance();
    expect(a.given / ONE).toBe(50n);
  });

  it('keeps a part for the next namespace, and takes back what was given up', () => {
    const host = new Host(12n * ONE);
    host.namespaces.set('a', { given: 0n, stored: 0n, force: 0n, used: 0n, isGoing: false });
    host.rebalance();
    const a = host.namespaces.get('a') ?? expect.fail();
    a.force = a.stored = a.given;
    host.namespaces.set('b', { given: 0n, stored: 0n, force: 0n, used: 0n, isGoing: false });
    host.rebalance();
    expect([...host.namespaces.values()].map(({ given }) => given / ONE)).toEqual([4n, 4n]);
    a.isGoing = true;
    a.force = a.stored = a.given;
    host.rebalance();
    expect(a.given).toBe(0n);
    a.force = a.stored = 0n;
    host.rebalance();
    expect((host.namespaces.get('b')?.given ?? 0n) / ONE).toBe(6n);
  });
});
