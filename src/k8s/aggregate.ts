/**
 * Several errors in one text.
 * @see k8s.io/apimachinery pkg/util/errors/errors.go (Aggregate) at v0.36
 */

/** Each once, in their order; in brackets when there are several. */
export function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? `${unique[0]}` : `[${unique.join(', ')}]`;
}
