import { describe, expect, it } from 'vitest';
import { goQuote, goQuoteAll } from './go-quote.ts';

describe("text in Go's quotes", () => {
  // Right column: what fmt.Sprintf("%q", ...) of Go 1.26 prints.
  it.each([
    ['', '""'],
    ['alice', '"alice"'],
    ['a"b\\', '"a\\"b\\\\"'],
    ['a\nb\t\u0007\v', '"a\\nb\\t\\a\\v"'],
    ['\u0000\u007f', '"\\x00\\x7f"'],
    ['é世界', '"é世界"'],
    ['\u00a0\u200b', '"\\u00a0\\u200b"'],
    ['😀\u{e0001}', '"😀\\U000e0001"'],
    ["'<>&", '"\'<>&"'],
  ])('%j', (text, quoted) => expect(goQuote(text)).toBe(quoted));
  it('in lists', () => {
    expect(goQuoteAll(['a', 'b'])).toBe('["a" "b"]');
    expect(goQuoteAll([])).toBe('[]');
  });
});
