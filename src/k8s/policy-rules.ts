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
import type { PolicyRule } from './rbac.ts';

/** More pieces than this are not weighed: a small body can ask for billions of them. The default role `admin` has 500. */
const PIECES_MAX = 20_000;

export class TooManyPieces extends Error {}

/** Of the lists of a rule, those that a piece has are of one entry. */
type Piece = PolicyRule;

/**
 * Pieces of `asked` that none of `held` covers; none when all is held.
 * @throws {TooManyPieces}
 */
export function missingRules(held: readonly PolicyRule[], asked: readonly PolicyRule[]): PolicyRule[] {
  const owners = held.map(owner);
  // A rule that is covered whole needs no taking apart; that is the common case, and the cheap one.
  const open = asked.filter((rule) => !owners.some((covers) => covers(rule)));
  const pieces = open.reduce((sum, rule) => sum + countPieces(rule), 0);
  if (pieces > PIECES_MAX) throw new TooManyPieces(`the rules grant ${pieces} single rights`);
  return open.flatMap(piecesOf).filter((piece) => !owners.some((covers) => covers(piece)));
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

/** Whether this one rule covers all of another. */
function owner(rule: PolicyRule): (asked: PolicyRule) => boolean {
  const [verbs, groups, resources] = [rule.verbs, rule.apiGroups, rule.resources].map((list) => new Set(list));
  const names = new Set(rule.resourceNames);
  const has = (set: ReadonlySet<string> | undefined, asked: readonly string[]): boolean =>
    set !== undefined && (set.has('*') || asked.every((one) => set.has(one)));
  const hasResource = (asked: string): boolean => {
    if (resources?.has(asked)) return true;
    const slash = asked.indexOf('/');
    return slash >= 0 && resources?.has(`*/${asked.slice(slash + 1)}`) === true;
  };
  return (asked) => {
    if (!has(verbs, asked.verbs) || !has(groups, asked.apiGroups)) return false;
    if (!resources?.has('*') && !asked.resources.every(hasResource)) return false;
    if (!asked.nonResourceURLs.every((url) => rule.nonResourceURLs.some((own) => coversUrl(own, url)))) return false;
    if (names.size === 0) return true;
    return asked.resourceNames.length > 0 && asked.resourceNames.every((name) => names.has(name));
  };
}

function coversUrl(own: string, asked: string): boolean {
  return own === asked || (own.endsWith('*') && asked.startsWith(own.replace(/\*+$/, '')));
}

/** What is missing, a line each: pieces that differ by their verb alone are told together. */
export function describeRules(pieces: readonly PolicyRule[]): string {
  const together = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  const lines: string[] = [];
  for (const rule of pieces) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    // Paths are never told together.
    if (nonResourceURLs.length > 0) {
      lines.push(describe(rule));
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = together.get(key);
    if (known === undefined) together.set(key, { rule, verbs: [...verbs] });
    else known.verbs.push(...verbs);
  }
  for (const { rule, verbs } of together.values()) lines.push(describe({ ...rule, verbs }));
  return [...new Set(lines)].sort().join('\n');
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
