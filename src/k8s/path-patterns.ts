/**
 * `nonResourceURLs` of a rule: paths, some of which end in `*` and stand for all that begin like them. Anywhere else a `*`
 * is a plain character.
 *
 * They are found by their lengths, of which there are few: a body of 1.5 MB has room for 1,700 different ones.
 *
 * @see k8s.io/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go (NonResourceURLMatches) at v1.36
 */
export class PathPatterns {
  readonly #exact: ReadonlySet<string>;
  readonly #beginnings = new Map<number, Set<string>>();

  constructor(urls: readonly string[]) {
    this.#exact = new Set(urls);
    for (const url of urls) {
      if (!url.endsWith('*')) continue;
      const beginning = withoutStars(url);
      const alike = this.#beginnings.get(beginning.length);
      if (alike === undefined) this.#beginnings.set(beginning.length, new Set([beginning]));
      else alike.add(beginning);
    }
  }

  /** How many look-ups a question takes. */
  get lengths(): number {
    return this.#beginnings.size;
  }

  /** Whether one of them stands for this path, or for all that this pattern stands for. */
  has(path: string): boolean {
    if (this.#exact.has(path)) return true;
    for (const [length, beginnings] of this.#beginnings) {
      if (length <= path.length && beginnings.has(path.slice(0, length))) return true;
    }
    return false;
  }
}

/** Not by an expression: for one that looks for stars at the end, each star is where the end might begin. */
function withoutStars(url: string): string {
  let end = url.length;
  while (url[end - 1] === '*') end -= 1;
  return url.slice(0, end);
}
