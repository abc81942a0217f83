/**
 * Which upstream text stands for which tenant text in one exchange: what goes up is noted here, so that an error text
 * which comes back can be mapped exactly, by tokens that are known and by nothing else.
 *
 * Only the way up notes, so a scope that serves a long watch does not grow.
 */
export class Renames {
  readonly #tenantText = new Map<string, string>();

  /** Notes one substitution. The same text noted twice keeps the first. */
  note(upstream: string, tenant: string): void {
    if (upstream !== tenant && !this.#tenantText.has(upstream)) this.#tenantText.set(upstream, tenant);
  }

  /** The tenant's text for exactly this upstream text. */
  get(upstream: string): string | undefined {
    return this.#tenantText.get(upstream);
  }

  entries(): Iterable<[upstream: string, tenant: string]> {
    return this.#tenantText.entries();
  }
}
