/**
 * Escapes in the literals of CEL.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#string-and-bytes-values
 */
const ESCAPE =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]|$))/g;
const SHORT: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** @throws {Error} for an escape that is none, in cel-go's words */
export function unescapeText(text: string): string {
  return text.replace(ESCAPE, (_whole, short, hex, four, eight, octal, other) => {
    if (other !== undefined) throw new Error('unable to unescape string');
    if (short !== undefined) return SHORT[short] ?? short;
    return codePoint(octal === undefined ? Number.parseInt(hex ?? four ?? eight, 16) : Number.parseInt(octal, 8));
  });
}

/** The same for bytes, where `\xff` is one byte and not a character. */
export function unescapeBytes(text: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, short, hex, four, eight, octal, other] = match;
    if (other !== undefined) throw new Error('unable to unescape string');
    if (four !== undefined || eight !== undefined) throw new Error('unable to unescape string');
    parts.push(Buffer.from(text.slice(from, match.index)));
    const byte = octal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(octal, 8);
    parts.push(short === undefined ? Buffer.from([byte]) : Buffer.from(SHORT[short] ?? short));
    from = match.index + whole.length;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

function codePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new Error('invalid unicode code point');
  return String.fromCodePoint(code);
}
