/**
 * A quota over all namespaces of a tenant, split into one for each, which is all that the host knows. The shares add up to
 * no more than the whole at every moment: what one namespace gives up is handed on only once it is seen to be given up.
 *
 * Each gets what it uses and an equal part of what is left; one part stays for the next namespace. A share changes only
 * when it is far from that, so that a pod that comes or goes moves nothing.
 */
import type { ShareFacts, Shares } from './quota-facts.ts';

/** Parts below this of a share are not worth a write. */
const QUARTER = 4n;

/**
 * @param total in 10^-9, by resource
 * @param facts of every namespace of the tenant that is there, by name
 * @returns the share of each namespace, by name; those that do not change too
 */
export function split(total: ReadonlyMap<string, bigint>, facts: ReadonlyMap<string, ShareFacts>): Shares {
  const shares = new Map([...facts.keys()].map((name) => [name, new Map<string, bigint>()]));
  for (const [resource, whole] of total) {
    for (const [name, share] of splitOne(resource, whole, facts)) shares.get(name)?.set(resource, share);
  }
  return shares;
}

interface Part {
  readonly name: string;
  readonly isGoing: boolean;
  readonly used: bigint;
  /** What it was given, and what the host may still hold to: the most of what was seen. */
  readonly given: bigint;
  readonly inForce: bigint;
}

function splitOne(resource: string, whole: bigint, facts: ReadonlyMap<string, ShareFacts>): Map<string, bigint> {
  const unit = unitOf(resource);
  const parts = [...facts].map(([name, { isGoing, given, used, inForce }]): Part => {
    const of = (amounts: ReadonlyMap<string, bigint>) => amounts.get(resource) ?? 0n;
    return { name, isGoing, used: of(used), given: of(given), inForce: of(inForce) };
  });
  const staying = BigInt(parts.filter(({ isGoing }) => !isGoing).length);
  const free = max(whole - sum(parts.map(({ used }) => used)), 0n);
  // Where there is less left than namespaces, some get one, and the part for the next namespace goes too.
  const room = max(roundDown(free / (staying + 1n), unit), min(unit, free));
  const target = ({ used, isGoing }: Part) => (isGoing ? used : used + room);

  const shares = new Map<string, bigint>();
  // What is to become less becomes less at once.
  for (const part of parts) {
    const isFar = part.given > target(part) + room / QUARTER || part.given > whole;
    shares.set(part.name, isFar ? target(part) : part.given);
  }
  let left = whole - sum(parts.map((part) => max(shares.get(part.name) ?? 0n, part.inForce, part.used)));
  // Who has the least room first.
  const wanting = parts.filter((part) => !part.isGoing && (shares.get(part.name) ?? 0n) < target(part));
  for (const part of wanting.sort((a, b) => compare(a.given - a.used, b.given - b.used))) {
    const share = shares.get(part.name) ?? 0n;
    const isNear = part.given - part.used > room - room / QUARTER;
    if (isNear || left <= 0n) continue;
    const more = roundDown(min(target(part) - share, left), unit);
    shares.set(part.name, share + more);
    left -= more;
  }
  return shares;
}

/** Counts are whole; processors, memory and storage are not. */
function unitOf(resource: string): bigint {
  return /(?:^|\.)(?:cpu|memory|storage|ephemeral-storage)$/.test(resource) ? 1_000_000n : 1_000_000_000n;
}

function roundDown(value: bigint, unit: bigint): bigint {
  return value - (value % unit);
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

/** `Math` knows no bigints. */
function max(...values: bigint[]): bigint {
  return values.toSorted(compare).at(-1) ?? 0n;
}

function min(...values: bigint[]): bigint {
  return values.toSorted(compare).at(0) ?? 0n;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
