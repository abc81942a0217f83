/**
 * Looks at the outline of a YAML document before it is parsed: one pass over the text that finds what is nested without
 * end, for the parser takes seconds to find that out. It does not know every way to write such a document, and need not:
 * the deadline of the thread that parses is behind it. What it must not do is to refuse a document that is none.
 *
 * @see https://yaml.org/spec/1.2.2/#chapter-8-block-style-productions
 */
const NEWLINE = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const [DASH, QUESTION, COLON, COMMA] = [0x2d, 0x3f, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];
/** After one of these, or at the start of a line, a bracket opens a collection; elsewhere it is text. */
const BEFORE_VALUE = new Set([NEWLINE, DASH, QUESTION, COLON, COMMA, OPEN_LIST, OPEN_MAP]);

/** True when lines are indented, indicators chained (`- - - x`) or brackets opened more than `levels` deep. */
export function isNestedDeeper(text: string, levels: number): boolean {
  /** Columns of the lines that the current one stands inside of. */
  const indents: number[] = [];
  let brackets = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    while (text.charCodeAt(at) === SPACE) at++;
    const indent = at - start;
    let chained = 0;
    while (isIndicator(text, at)) {
      chained++;
      at += 2;
      while (isBlank(text.charCodeAt(at))) at++;
    }
    if (text.charCodeAt(at) !== NEWLINE) {
      while ((indents.at(-1) ?? -1) >= indent) indents.pop();
      indents.push(indent);
    }
    if (indents.length + chained > levels) return true;
    let before = NEWLINE;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (isBlank(code)) continue;
      if ((code === OPEN_LIST || code === OPEN_MAP) && BEFORE_VALUE.has(before)) {
        if (++brackets > levels) return true;
      } else if ((code === CLOSE_LIST || code === CLOSE_MAP) && brackets > 0) brackets--;
      before = code;
    }
    at++;
  }
  return false;
}

/** `- `, `? ` or `: ` with something behind it: each opens a level on the same line. */
function isIndicator(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code === DASH || code === QUESTION || code === COLON) && isBlank(text.charCodeAt(at + 1));
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
