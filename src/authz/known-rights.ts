/**
 * The rights of users who have asked before, for as long as the roles and bindings of their tenant stay as they are. Held
 * by the identity itself, which the authenticators give out as the same object while a credential is remembered: what is
 * asked about once, as in a review of somebody else, is not kept.
 */
import type { Identity } from '../exchange.ts';
import type { RbacIndex } from './rbac-index.ts';
import type { Rights } from './rights.ts';

interface Known {
  readonly index: RbacIndex;
  readonly generation: number;
  /** Undefined after the first question. */
  readonly byNamespace: Map<string, Rights | undefined>;
}

const MAX_NAMESPACES = 256;

export class KnownRights {
  readonly #byUser = new WeakMap<Identity, Known>();

  /** @param make is called at the second question; undefined is returned at the first */
  of(index: RbacIndex, who: Identity, namespace: string, make: () => Rights): Rights | undefined {
    let known = this.#byUser.get(who);
    if (known === undefined || known.index !== index || known.generation !== index.generation) {
      known = { index, generation: index.generation, byNamespace: new Map() };
      this.#byUser.set(who, known);
    }
    const { byNamespace } = known;
    const rights = byNamespace.get(namespace);
    if (rights !== undefined) return rights;
    if (byNamespace.size >= MAX_NAMESPACES) byNamespace.clear();
    const made = byNamespace.has(namespace) ? make() : undefined;
    byNamespace.set(namespace, made);
    return made;
  }
}
