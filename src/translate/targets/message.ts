/**
 * Text that controllers write. The tenant's own prefix is taken out where a name follows that is known to be the
 * tenant's: one of its namespaces or API groups, or something that this exchange or this object has mapped. All other text stays.
 *
 *   pods "x" is in namespace acme--web   ->  pods "x" is in namespace web     (web is a namespace of the tenant)
 *   see acme--readme                     ->  the same
 *
 * The ConfigMap with the CA is known by its name (`src/tenancy/root-ca.ts`); what the host's own policies say is in
 * `src/translate/own-policies.ts`.
 *
 * A name behind the word for a class is one that the tenant chose, also where nothing has it any more:
 *
 *   storageclass.storage.k8s.io "acme--gold" not found  ->  storageclass.storage.k8s.io "gold" not found
 */
import { KINDS } from '../../kinds/table.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { rootCaInText } from '../../tenancy/root-ca.ts';
import { withoutOwnPolicies } from '../own-policies.ts';
import type { Scope } from '../scope.ts';

/** What names are made of: a run of these is taken whole, then cut at `.`, `:` and `_` until it is a known name. */
const NAME_CHAR = /[A-Za-z0-9._:-]/;
const WORD_CHAR = /[A-Za-z0-9-]/;
/** What stands before the name of a class or a volume in texts of the API server and of controllers. */
const CLASS_BEFORE = new RegExp(
  `(?:^|[^A-Za-z0-9.])(?:${KINDS.flatMap(({ kind, resource, published }) => (published ? [kind, resource] : [])).join('|')})(?:\\.[a-z0-9.]+)?(?: with name)? "?$`,
  'i',
);
/** Characters that are looked at for that. */
const BEFORE = 80;

/** Characters of a run that are looked at: more than any name upstream has. */
const LONGEST = 512;

/** Maps one text; `seen` are names that the object at hand has shown to be the tenant's, by their upstream text. */
export function messageToTenant(text: string, scope: Scope, seen?: ReadonlyMap<string, string>): string {
  return rootCaInText(prefixedToTenant(withoutOwnPolicies(text), scope, seen));
}

/** The same for names with the tenant's prefix alone. */
export function prefixedToTenant(text: string, scope: Scope, seen?: ReadonlyMap<string, string>): string {
  const prefix = scope.names.up('' as TenantName) as string;
  if (prefix === '' || !text.includes(prefix)) return text;
  let out = '';
  let from = 0;
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, Math.max(from, at + 1))) {
    if (at > 0 && WORD_CHAR.test(text[at - 1] ?? '')) continue;
    const found = knownAt(text, at, prefix.length, scope, seen);
    if (found === undefined) continue;
    out += text.slice(from, at) + found.tenant;
    from = at + found.length;
  }
  return out + text.slice(from);
}

function knownAt(
  text: string,
  at: number,
  prefixLength: number,
  scope: Scope,
  seen: ReadonlyMap<string, string> | undefined,
): { tenant: string; length: number } | undefined {
  let end = at + prefixLength;
  while (end < text.length && end - at < LONGEST && NAME_CHAR.test(text[end] ?? '')) end++;
  let upstream = text.slice(at, end);
  while (upstream.length > prefixLength) {
    const tenant =
      scope.renames.get(upstream) ??
      seen?.get(upstream) ??
      ownName(upstream, scope) ??
      className(upstream, text, at, scope);
    if (tenant !== undefined) return { tenant, length: upstream.length };
    upstream = upstream.slice(0, Math.max(0, ...['.', ':', '_'].map((mark) => upstream.lastIndexOf(mark))));
  }
  return undefined;
}

function ownName(upstream: string, scope: Scope): string | undefined {
  const name = scope.names.down(upstream as UpstreamName);
  if (name === undefined) return undefined;
  const isKnown = scope.isOwnNamespace(name) || scope.isOwnGroup?.(name) === true || scope.holds?.(name) === true;
  return isKnown ? name : undefined;
}

function className(upstream: string, text: string, at: number, scope: Scope): string | undefined {
  if (!CLASS_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at))) return undefined;
  return scope.names.down(upstream as UpstreamName);
}
