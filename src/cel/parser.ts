/**
 * From the text of an expression to its tree. The grammar is CEL's with what Kubernetes switches on: optional fields
 * (`a.?b`, `[?x]`, `{?k: v}`) and struct literals.
 *
 * What a tenant writes is parsed here, so nothing grows faster than the text: its size and its nesting are bounded as
 * the API server bounds them, and macros copy nothing.
 *
 * @see github.com/google/cel-go parser/gen/CEL.g4, parser/parser.go at v0.26
 */
import type { CallNode, Expr, FieldEntry, MapEntry } from './ast.ts';
import { SyntaxProblem, type Token, tokens } from './lexer.ts';
import { expandMacro } from './macros.ts';
import { NodeFactory } from './node-factory.ts';
import { CompileError, type Problem } from './problems.ts';
import type { Constant } from './values.ts';

/** cel-go's own limits. */
const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;

const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
const RELATIONS = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const EXPECTED = `{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;

/** @throws {CompileError} */
export function parse(source: string): Expr {
  // A code point is one UTF-16 unit or two, so what is short enough in units need not be counted.
  const size = source.length > MAX_CODE_POINTS ? [...source].length : source.length;
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    throw new CompileError('', [{ at: 0, message }]);
  }
  const problems: Problem[] = [];
  try {
    const expr = new Parser(source, problems).all();
    if (problems.length === 0) return expr;
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    problems.push(error);
  }
  throw new CompileError(source, problems);
}

class Parser {
  /** What is wrong without keeping the rest from being read. */
  readonly #problems: Problem[];
  readonly #make: NodeFactory = new NodeFactory();
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: string, problems: Problem[]) {
    this.#problems = problems;
    this.#tokens = tokens(source);
  }

  all(): Expr {
    const expr = this.#expr();
    const token = this.#peek();
    if (token.kind !== 'end') {
      throw new SyntaxProblem({
        at: token.at,
        message: `Syntax error: mismatched input '${token.text}' expecting <EOF>`,
      });
    }
    return expr;
  }

  #expr(): Expr {
    return this.#nested(() => {
      const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
      const question = this.#accept('?');
      if (question === undefined) return condition;
      const yes = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
      this.#expect(':');
      return this.#make.call(question.at, '_?_:_', [condition, yes, this.#expr()]);
    });
  }

  /** A chain of `&&` or `||`, as a tree of little depth. */
  #logical(mark: string, name: string, term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let token = this.#accept(mark); token !== undefined; token = this.#accept(mark)) {
      places.push(token.at);
      terms.push(term());
    }
    const balance = (from: number, to: number): Expr => {
      if (from === to) return terms[from] as Expr;
      const middle = Math.floor((from + to) / 2);
      return this.#make.call(places[middle] ?? 0, name, [balance(from, middle), balance(middle + 1, to)]);
    };
    return balance(0, terms.length - 1);
  }

  #relation(): Expr {
    let left = this.#additive();
    for (let length = 1; RELATIONS.has(this.#peek().text) && this.#peek().kind !== 'constant'; length += 1) {
      const { text, at } = this.#take();
      this.#limit(length);
      left = this.#make.call(at, text === 'in' ? '@in' : `_${text}_`, [left, this.#additive()]);
    }
    return left;
  }

  #additive(): Expr {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#unary()));
  }

  #chain(marks: readonly string[], term: () => Expr): Expr {
    let left = term();
    for (let length = 1; this.#peek().kind === 'mark' && marks.includes(this.#peek().text); length += 1) {
      const { text, at } = this.#take();
      this.#limit(length);
      left = this.#make.call(at, `_${text}_`, [left, term()]);
    }
    return left;
  }

  #unary(): Expr {
    const first = this.#peek();
    if (first.kind !== 'mark' || (first.text !== '!' && first.text !== '-')) return this.#member();
    let count = 0;
    while (this.#accept(first.text) !== undefined) count += 1;
    const follows = this.#peek();
    if (first.text === '-' && count === 1 && (typeof follows.value === 'bigint' || typeof follows.value === 'number')) {
      // -9223372036854775808 is one literal: without its sign it would be too large.
      return this.#member({ ...follows, at: first.at, value: -follows.value });
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#make.call(first.at, first.text === '!' ? '!_' : '-_', [operand]);
  }

  #member(negative?: Token): Expr {
    let operand = negative === undefined ? this.#primary() : this.#constant(this.#take() && negative);
    for (let length = 1; ; length += 1) {
      const dot = this.#accept('.');
      const bracket = dot === undefined ? this.#accept('[') : undefined;
      if (dot === undefined && bracket === undefined) return operand;
      this.#limit(length);
      operand = dot === undefined ? this.#index(operand, bracket as Token) : this.#select(operand, dot);
    }
  }

  #index(operand: Expr, { at }: Token): Expr {
    const name = this.#accept('?') === undefined ? '_[_]' : '_[?_]';
    const index = this.#expr();
    this.#expect(']');
    return this.#make.call(at, name, [operand, index]);
  }

  #select(operand: Expr, { at }: Token): Expr {
    const optional = this.#accept('?') !== undefined;
    const field = this.#fieldName();
    if (optional) return this.#make.call(at, '_?._', [operand, this.#make.constant(at, field.text)]);
    const open = field.kind === 'name' ? this.#accept('(') : undefined;
    if (open === undefined) return this.#make.select(at, operand, field.text);
    return this.#call(this.#make.call(open.at, field.text, this.#args(), operand));
  }

  #fieldName(): Token {
    const token = this.#peek();
    // Reserved words are fields like any other; only `in` and the constants are not.
    if ((token.kind === 'name' && token.text !== 'in') || token.kind === 'quoted') return this.#take();
    throw this.#unexpected('no viable alternative at input', token);
  }

  #args(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(')') !== undefined) return args;
    do args.push(this.#expr());
    while (this.#accept(',') !== undefined);
    this.#expect(')');
    return args;
  }

  #call(call: CallNode): Expr {
    try {
      return expandMacro(call, this.#make) ?? call;
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      this.#problems.push(error);
      return call;
    }
  }

  #primary(): Expr {
    const token = this.#peek();
    if (token.kind === 'constant') return this.#constant(this.#take());
    if (token.kind === 'name') return this.#named('');
    if (token.kind === 'mark') {
      if (this.#accept('(') !== undefined) {
        const inner = this.#expr();
        this.#expect(')');
        return inner;
      }
      if (token.text === '[') return this.#list(this.#take());
      if (token.text === '{') return this.#map(this.#take());
      if (token.text === '.') {
        this.#take();
        return this.#named('.');
      }
    }
    throw this.#unexpected('mismatched input', token);
  }

  #constant({ at, value }: Token): Expr {
    if (value === 2n ** 63n) this.#problems.push({ at, message: 'invalid int literal' });
    return this.#make.constant(at, value as Constant);
  }

  /** A name, a call, or the type of a struct literal, which may have dots. */
  #named(dot: string): Expr {
    const token = this.#take();
    const { text, at } = token;
    if (token.kind !== 'name' || text === 'in') throw this.#unexpected('mismatched input', token);
    const type = this.#structType();
    if (type !== undefined) return this.#struct(`${dot}${type.name}`, type.open);
    if (RESERVED.has(text)) this.#problems.push({ at, message: `reserved identifier: ${text}` });
    const open = this.#accept('(');
    if (open === undefined) return this.#make.ident(at, `${dot}${text}`);
    return this.#call(this.#make.call(open.at, `${dot}${text}`, this.#args()));
  }

  /** Names and dots up to a `{`, from the name that was just read. */
  #structType(): { name: string; open: Token } | undefined {
    let ahead = this.#next;
    let name = this.#tokens[ahead - 1]?.text ?? '';
    while (this.#tokens[ahead]?.text === '.' && this.#tokens[ahead + 1]?.kind === 'name') {
      name += `.${this.#tokens[ahead + 1]?.text}`;
      ahead += 2;
    }
    const open = this.#tokens[ahead];
    if (open?.kind !== 'mark' || open.text !== '{') return undefined;
    this.#next = ahead + 1;
    return { name, open };
  }

  #struct(type: string, { at }: Token): Expr {
    const fields: FieldEntry[] = [];
    this.#each('}', () => {
      const optional = this.#accept('?') !== undefined;
      const field = this.#fieldName().text;
      const colon = this.#expect(':');
      fields.push({ id: this.#make.id(), at: colon.at, field, value: this.#expr(), optional });
    });
    return this.#make.struct(at, type, fields);
  }

  #map({ at }: Token): Expr {
    const entries: MapEntry[] = [];
    this.#each('}', () => {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expr();
      const colon = this.#expect(':');
      entries.push({ id: this.#make.id(), at: colon.at, key, value: this.#expr(), optional });
    });
    return this.#make.map(at, entries);
  }

  #list({ at }: Token): Expr {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    this.#each(']', () => {
      if (this.#accept('?') !== undefined) optional.add(elements.length);
      elements.push(this.#expr());
    });
    return this.#make.list(at, elements, optional);
  }

  /** Comma between, one allowed at the end. */
  #each(close: string, one: () => void): void {
    if (this.#accept(',') !== undefined) {
      this.#expect(close);
      return;
    }
    while (this.#accept(close) === undefined) {
      one();
      if (this.#accept(',') === undefined) {
        this.#expect(close);
        return;
      }
    }
  }

  #nested(inner: () => Expr): Expr {
    this.#depth += 1;
    this.#limit(0);
    const expr = inner();
    this.#depth -= 1;
    return expr;
  }

  #limit(length: number): void {
    if (this.#depth + length <= MAX_DEPTH) return;
    throw new SyntaxProblem({ at: 0, message: `expression recursion limit exceeded: ${MAX_DEPTH}` });
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  #accept(mark: string): Token | undefined {
    const token = this.#peek();
    return token.kind === 'mark' && token.text === mark ? this.#take() : undefined;
  }

  #expect(mark: string): Token {
    const token = this.#accept(mark);
    if (token !== undefined) return token;
    const { text, at } = this.#peek();
    throw new SyntaxProblem({ at, message: `Syntax error: mismatched input '${text}' expecting '${mark}'` });
  }

  #unexpected(how: string, { text, at }: Token): SyntaxProblem {
    return new SyntaxProblem({ at, message: `Syntax error: ${how} '${text}' expecting ${EXPECTED}` });
  }
}
