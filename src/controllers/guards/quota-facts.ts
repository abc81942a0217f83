/** What is known of the shares of a tenant's quota: what was given out, what the host holds to, what is used. */
import { parseJson } from '../../codec/json.ts';
import { canonicalQuantity, parseQuantity } from '../../k8s/quantity.ts';
import { child } from '../../k8s/read.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';

type Amounts = ReadonlyMap<string, bigint>;

/** By namespace. */
export type Shares = ReadonlyMap<string, Amounts>;

export interface ShareFacts {
  /** The namespace is being deleted: nothing can be made in it. */
  readonly isGoing: boolean;
  /** What it has been given, by the ledger. */
  readonly given: Amounts;
  /** What the host may still hold to: of the stored quota and of the host's own word on it, the more. */
  readonly inForce: Amounts;
  readonly used: Amounts;
}

/** @param quota the stored ResourceQuota; undefined when there is none yet */
export function factsOf(namespace: JsonObject, given: Amounts | undefined, quota: JsonObject | undefined): ShareFacts {
  const status = child(quota ?? {}, 'status');
  const stored = amounts(child(child(quota ?? {}, 'spec'), 'hard'));
  const said = amounts(child(status, 'hard'));
  return {
    isGoing: child(namespace, 'metadata')['deletionTimestamp'] !== undefined,
    given: given ?? new Map(),
    inForce: most(stored, said),
    used: amounts(child(status, 'used')),
  };
}

/** `{"acme--web": {"pods": "10"}}` */
export function readLedger(text: string | undefined): Shares {
  let document: unknown;
  try {
    document = parseJson(text ?? '{}');
  } catch {
    // What nobody can read was given to nobody; what is in force counts all the same.
    return new Map();
  }
  if (!isObject(document)) return new Map();
  return new Map(Object.entries(document).map(([name, hard]) => [name, amounts(isObject(hard) ? hard : {})]));
}

export function ledgerText(shares: Shares): string {
  const sorted = [...shares].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([name, hard]) => [name, hardOf(hard)])));
}

/** As a ResourceQuota says it. */
export function hardOf(share: Amounts): JsonObject {
  const sorted = [...share].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([resource, amount]) => [resource, quantityText(amount)]));
}

/** What is no quantity is left out. */
export function amounts(hard: JsonObject): Map<string, bigint> {
  return new Map(
    Object.entries(hard).flatMap(([resource, value]) => {
      const amount = parseQuantity(String(value));
      return amount === undefined ? [] : [[resource, amount] as const];
    }),
  );
}

function most(a: Amounts, b: Amounts): Map<string, bigint> {
  const all = new Map(a);
  for (const [resource, amount] of b)
    all.set(resource, amount > (all.get(resource) ?? 0n) ? amount : (all.get(resource) ?? 0n));
  return all;
}

/** In thousandths, rounded down, as the API server gives it back. */
function quantityText(nanos: bigint): string {
  return canonicalQuantity(`${nanos / 1_000_000n}m`);
}
