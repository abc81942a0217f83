/**
 * A row of the table as one profile has it: what only trusted tenants may do to a subresource is part of it for them, and
 * not there for anybody else. Whoever serves a tenant sees rows of this kind only (see registry.ts).
 */
import type { Kind, Profile, Subresource } from './kind.ts';

const CUT: Readonly<Record<Profile, WeakMap<Kind, Kind>>> = {
  trusted: new WeakMap(),
  baseline: new WeakMap(),
  restricted: new WeakMap(),
};

/** The same object for the same row and profile; the row itself where profiles do not differ. */
export function forProfile(kind: Kind, profile: Profile): Kind {
  if (!Object.values(kind.subresources).some(({ trusted }) => trusted !== undefined)) return kind;
  const known = CUT[profile].get(kind);
  if (known !== undefined) return known;
  const subresources = Object.entries(kind.subresources)
    .map(([name, subresource]) => [name, cut(subresource, profile)] as const)
    .filter(([, { verbs }]) => verbs.length > 0);
  const made = { ...kind, subresources: Object.fromEntries(subresources) };
  CUT[profile].set(kind, made);
  return made;
}

/** Verbs that tenants of some profile have. */
export function verbsOfAny({ verbs, trusted = [] }: Subresource): Subresource['verbs'] {
  return [...verbs, ...trusted];
}

function cut({ trusted = [], ...subresource }: Subresource, profile: Profile): Subresource {
  return profile === 'trusted' ? { ...subresource, verbs: [...subresource.verbs, ...trusted].sort() } : subresource;
}
