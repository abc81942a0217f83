/**
 * Text in double quotes as Go's `%q` writes it, which is how kube-apiserver's messages quote names and users.
 * @see https://pkg.go.dev/strconv#Quote
 */
const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
/** Most text is, and is much quicker looked at as a whole. */
const PLAIN = /^[ !#-[\]-~]*$/;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** `a"b` -> `"a\"b"` */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text.toWellFormed()) {
    const short = SHORT[char];
    if (short !== undefined) out += short;
    else if (PRINTABLE.test(char)) out += char;
    else out += escaped(char.codePointAt(0) ?? 0);
  }
  return `${out}"`;
}

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** `["a" "b"]`: how `%q` writes a list of texts. */
export function goQuoteAll(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
