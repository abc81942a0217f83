/**
 * Words and symbols of a label selector. White space parts them and means nothing else.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go (Lexer) at v0.36
 */
export interface Token {
  readonly is: 'word' | 'symbol';
  readonly text: string;
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+))/y;

/** The tokens of a selector. Every text has some: what does not fit is found by the parser. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(source); found !== null; found = TOKEN.exec(source)) {
    const [, symbol, word] = found;
    tokens.push(symbol !== undefined ? { is: 'symbol', text: symbol } : { is: 'word', text: word ?? '' });
  }
  return tokens;
}
