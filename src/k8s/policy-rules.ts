/**
 * Sums of RBAC rules: does one set of rules hold all that another grants, and what is missing, in kube-apiserver's words.
 *
 * A rule is taken apart into pieces of one verb, one group, one resource and at most one name. Each piece must be held
 * by one single rule of the owner, as the API server weighs it.
 *
 * @see k8s.io/component-helpers auth/rbac/validation/policy_comparator.go at v0.36
 * @see k8s.io/kubernetes pkg/registry/rbac/validation/policy_compact.go at v1.36
 */
import { goQuoteAll } from '../lib/go-quote.ts';
import { Pace, type Steps } from '../lib/turns.ts';
import { HeldRules } from './held-rules.ts';
import type { PolicyRule } from './rbac.ts';

/** More pieces than this are not weighed: a small body can ask for billions of them. The default role `admin` has 500. */
const PIECES_MAX = 20_000;

/** What it takes to write a line, by {@link Pace}. */
const LINE = 20;

export class TooManyPieces extends Error {}

/** Of the lists of a rule, those that a piece has are of one entry. */
type Piece = PolicyRule;

/**
 * Pieces of `asked` that none of `held` covers; none when all is held. Thousands may be weighed against thousands.
 * @throws {TooManyPieces}
 */
export function* missingRules(held: Iterable<PolicyRule>, asked: readonly PolicyRule[]): Steps<PolicyRule[]> {
  const pace = new Pace();
  const owners = new HeldRules(pace);
  yield* owners.add(held);
  const open: PolicyRule[] = [];
  for (const rule of asked) {
    // A rule that is covered whole needs no taking apart; that is the common case, and the cheap one.
    if (!(yield* owners.cover(rule))) open.push(rule);
  }
  const count = open.reduce((sum, rule) => sum + countPieces(rule), 0);
  if (count > PIECES_MAX) throw new TooManyPieces(`the rules grant ${count} single rights`);
  const missing: Piece[] = [];
  for (const rule of open) {
    const pieces = piecesOf(rule);
    if (pace.spend(pieces.length)) yield;
    for (const piece of pieces) if (!(yield* owners.cover(piece))) missing.push(piece);
  }
  return missing;
}

function countPieces({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const named = Math.max(resourceNames.length, 1);
  return verbs.length * (apiGroups.length * resources.length * named + nonResourceURLs.length);
}

function piecesOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): Piece[] {
  const pieces: Piece[] = [];
  const names: string[][] = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        for (const name of names) pieces.push(piece({ verb, apiGroups: [group], resources: [resource], names: name }));
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) pieces.push(piece({ verb, urls: [url] }));
  return pieces;
}

function piece(of: {
  verb: string;
  apiGroups?: string[];
  resources?: string[];
  names?: string[];
  urls?: string[];
}): Piece {
  const { verb, apiGroups = [], resources = [], names = [], urls = [] } = of;
  return { verbs: [verb], apiGroups, resources, resourceNames: names, nonResourceURLs: urls };
}

/** What is missing, a line each: pieces that differ by their verb alone are told together. */
export function* describeRules(pieces: readonly PolicyRule[]): Steps<string> {
  const pace = new Pace();
  const together = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  const lines = new Set<string>();
  for (const rule of pieces) {
    if (pace.spend(LINE)) yield;
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    // Paths are never told together.
    if (nonResourceURLs.length > 0) {
      lines.add(describe(rule));
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = together.get(key);
    if (known === undefined) together.set(key, { rule, verbs: [...verbs] });
    else known.verbs.push(...verbs);
  }
  for (const { rule, verbs } of together.values()) {
    if (pace.spend(LINE)) yield;
    lines.add(describe({ ...rule, verbs }));
  }
  return [...lines].sort().join('\n');
}

function describe(rule: PolicyRule): string {
  const parts: Array<[string, readonly string[]]> = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const told = parts.filter(([, values]) => values.length > 0);
  return `{${told.map(([name, values]) => `${name}:${goQuoteAll(values)}`).join(', ')}}`;
}
