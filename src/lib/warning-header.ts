/**
 * Values of the header `Warning`, as kube-apiserver writes them: `299 - "text"`.
 * @see k8s.io/apimachinery pkg/util/net/http.go (NewWarningHeader); k8s.io/apiserver pkg/endpoints/filters/warning.go at v0.36
 */

/** In characters: of one warning once all of them are too long, and of all. */
const MAX_ONE = 256;
const MAX_ALL = 4 * 1024;

/** One value for each text; the same text is told once. */
export function warningHeaders(texts: readonly string[]): string[] {
  const unique = [...new Set(texts)];
  const isLong = unique.reduce((sum, text) => sum + text.length, 0) > MAX_ALL;
  const shown = isLong ? unique.map((text) => text.slice(0, MAX_ONE)).slice(0, MAX_ALL / MAX_ONE) : unique;
  return shown.map((text) => `299 - ${quoted(text)}`);
}

/** A quoted-string of HTTP, without control characters, which would end the header, and in the bytes of Latin-1. */
function quoted(text: string): string {
  const plain = text.replace(/\p{Cc}+/gu, ' ').replace(/[\\"]/g, '\\$&');
  return `"${Buffer.from(plain).toString('latin1')}"`;
}
