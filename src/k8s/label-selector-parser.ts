/**
 * Label selectors, read as kube-apiserver reads them and refused in its words:
 *
 *   env=prod,tier in (web, db),!canary,size>3
 *
 * `in ()` is a set of one empty value, as is each comma too many in a set.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go (Parser) at v0.36
 */
import { goQuote } from '../lib/go-quote.ts';
import { aggregate } from './aggregate.ts';
import { labelKeyProblems, labelValueProblem } from './name-rules.ts';
import { type LabelRequirement, LabelSelector, SelectorSyntaxError } from './selector.ts';
import { type Token, tokensOf } from './selector-tokens.ts';

const OPERATORS = new Map<string, LabelRequirement['operator']>([
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['>', 'Gt'],
  ['<', 'Lt'],
]);
const INTEGER = /^[+-]?\d+$/;

/** @throws {SelectorSyntaxError} */
export function parseLabelSelector(text: string): LabelSelector {
  const cursor = new Cursor(tokensOf(text));
  const requirements: LabelRequirement[] = [];
  while (!cursor.atEnd) {
    if (!cursor.atWord && !cursor.at('!')) throw cursor.found("!, identifier, or 'end of string'");
    requirements.push(inRequirement(() => requirement(cursor)));
    if (cursor.atEnd) break;
    if (!cursor.take(',')) throw cursor.found("',' or 'end of string'");
    if (!cursor.atWord && !cursor.at('!')) throw cursor.found("identifier after ','");
  }
  return new LabelSelector(requirements);
}

class Cursor {
  readonly #tokens: readonly Token[];
  #place = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#place >= this.#tokens.length;
  }

  get atWord(): boolean {
    return this.#tokens[this.#place]?.is === 'word';
  }

  at(symbol: string): boolean {
    const token = this.#tokens[this.#place];
    return token?.is === 'symbol' && token.text === symbol;
  }

  /** Steps over the symbol, if it is there. */
  take(symbol: string): boolean {
    const isThere = this.at(symbol);
    if (isThere) this.#place++;
    return isThere;
  }

  /** What is here, which is stepped over. */
  next(): string {
    return this.#tokens[this.#place++]?.text ?? '';
  }

  get text(): string {
    return this.#tokens[this.#place]?.text ?? '';
  }

  found(expected: string, separator = ', '): SelectorSyntaxError {
    return new SelectorSyntaxError(`found '${this.text}'${separator}expected: ${expected}`);
  }
}

function inRequirement<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw new SelectorSyntaxError(`unable to parse requirement: ${error.message}`);
  }
}

function requirement(cursor: Cursor): LabelRequirement {
  const isAbsent = cursor.take('!');
  if (!cursor.atWord) throw cursor.found('identifier');
  const key = cursor.next();
  const problems = labelKeyProblems(key).join('; ');
  if (problems !== '') throw new SelectorSyntaxError(`<nil>: Invalid value: ${goQuote(key)}: ${problems}`);
  if (isAbsent) return { key, operator: 'DoesNotExist', values: [] };
  if (cursor.atEnd || cursor.at(',')) return { key, operator: 'Exists', values: [] };
  const operator = OPERATORS.get(cursor.text);
  if (operator === undefined) throw cursor.found('in, notin, =, ==, !=, gt, lt');
  const isSet = cursor.atWord;
  cursor.next();
  return checked({ key, operator, values: isSet ? set(cursor) : [value(cursor)] });
}

/** Absent means empty: `a=`. */
function value(cursor: Cursor): string {
  if (cursor.atEnd || cursor.at(',')) return '';
  if (!cursor.atWord) throw cursor.found('identifier');
  return cursor.next();
}

function set(cursor: Cursor): string[] {
  if (!cursor.take('(')) throw cursor.found("'('", ' ');
  if (cursor.take(')')) return [''];
  if (!cursor.atWord && !cursor.at(',')) throw cursor.found("',', ')' or identifier");
  const values = new Set<string>();
  while (!cursor.at(')')) {
    if (cursor.atWord) {
      values.add(cursor.next());
      if (!cursor.at(',') && !cursor.at(')')) throw cursor.found("',' or ')'");
      // A comma before the end leaves one value empty.
      if (cursor.take(',') && (cursor.at(',') || cursor.at(')'))) values.add('');
    } else if (cursor.take(',')) values.add('');
    else throw cursor.found("',', or identifier");
  }
  cursor.take(')');
  return [...values];
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator } = requirement;
  const values = [...requirement.values].sort();
  const problems: string[] = [];
  for (const [at, value] of values.entries()) {
    if ((operator === 'Gt' || operator === 'Lt') && !INTEGER.test(value)) {
      const why = "for 'Gt', 'Lt' operators, the value must be an integer";
      problems.push(`values[${at}]: Invalid value: ${goQuote(value)}: ${why}`);
    }
  }
  for (const [at, value] of values.entries()) {
    const problem = labelValueProblem(value);
    if (problem !== undefined) problems.push(`values[${at}][${key}]: Invalid value: ${goQuote(value)}: ${problem}`);
  }
  if (problems.length > 0) throw new SelectorSyntaxError(aggregate(problems));
  return requirement;
}
