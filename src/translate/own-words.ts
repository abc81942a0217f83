/**
 * Text from upstream that still speaks of what a tenant must not see, after all names that are known have been mapped.
 * A patch that cannot be applied is refused with the whole stored object in the text: labels and annotations of ours,
 * names of other objects, the group of virtual kinds.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/patch.go (applyJSPatch) at v0.36
 */
import { OWN_PREFIX, type TenantName } from '../tenancy/names.ts';
import { tokenAudience } from '../tenancy/tenant.ts';
import type { Scope } from './scope.ts';

/** An object as `%q` quotes its JSON. */
const QUOTED_OBJECT = /"\{(?:[^"\\]|\\.)*"/gs;
const RUN = /\S+/g;

/** True when a piece of an object names upstream, or what is the proxy's own. */
export function holdsOwnWords(text: string, scope: Scope): boolean {
  return text.includes(scope.names.up('' as TenantName)) || /kubeveil/i.test(text);
}

/** The text without quoted objects that hold such words, and without anything below our prefix. */
export function withoutOwnWords(text: string, scope: Scope): string {
  const short = text.replaceAll(QUOTED_OBJECT, (quoted) => (holdsOwnWords(quoted, scope) ? '"{...}"' : quoted));
  if (!short.includes(OWN_PREFIX)) return short;
  // The one such word that a tenant knows: it stands in its tokens.
  const audience = tokenAudience(scope.tenant);
  return short.replaceAll(RUN, (run) => (run.replaceAll(audience, '').includes(OWN_PREFIX) ? '...' : run));
}
