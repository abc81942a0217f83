/**
 * Label and field selectors: text to a list of requirements, which all must hold, and back.
 *
 *   label   env=prod,tier in (web, db),!canary,size>3     full grammar of kube-apiserver
 *   field   metadata.name=web,status.phase!=Running       `\` escapes `,` `=` and itself
 *
 * Refuses what kube-apiserver refuses. Selectors are only ever joined as lists, never by joining text.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go and pkg/fields/selector.go at v0.36
 */
import { labelKeyProblem, labelValueProblem } from './name-rules.ts';
import { tokensOf } from './selector-tokens.ts';

export interface LabelRequirement {
  readonly key: string;
  /** `a=b` is In with one value, `a!=b` NotIn with one. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The message is as kube-apiserver words it; the caller answers 400. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorSyntaxError';
  }
}

/** A parsed label selector. Without requirements it picks everything. */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
  }

  matches(labels: Readonly<Record<string, unknown>>): boolean {
    return this.requirements.every((requirement) => requirementHolds(requirement, labels));
  }

  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

/** A parsed field selector. Without requirements it picks everything. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** `fields` by path, such as `metadata.name`; a field that is absent reads as empty. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      const has = Object.hasOwn(fields, field) ? fields[field] : '';
      return (has === value) === (operator === '=');
    });
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
  }
}

/** @throws {SelectorSyntaxError} */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = tokensOf(text);
  let at = 0;
  const peek = () => tokens[at] ?? { is: 'end', text: '' };
  const fail = (expected: string): never => {
    throw new SelectorSyntaxError(`unable to parse requirement: found '${peek().text}', expected: ${expected}`);
  };
  const requirements: LabelRequirement[] = [];
  while (peek().is !== 'end') {
    requirements.push(requirement());
    if (peek().is === 'end') break;
    if (peek().text !== ',' || peek().is !== 'symbol') fail("',' or 'end of string'");
    at++;
    if (peek().is !== 'word' && peek().text !== '!') fail("identifier after ','");
  }
  return new LabelSelector(requirements);

  function requirement(): LabelRequirement {
    if (isSymbol('!')) {
      at++;
      return { key: key(), operator: 'DoesNotExist', values: [] };
    }
    const name = key();
    const { is, text: operator } = peek();
    if (is === 'end' || isSymbol(',')) return { key: name, operator: 'Exists', values: [] };
    if (is === 'word' && (operator === 'in' || operator === 'notin')) {
      at++;
      return checked({ key: name, operator: operator === 'in' ? 'In' : 'NotIn', values: set() });
    }
    if (is !== 'symbol' || !['=', '==', '!=', '>', '<'].includes(operator)) {
      fail('in, notin, =, ==, !=, gt, lt');
    }
    at++;
    const values = [value()];
    if (operator === '>' || operator === '<')
      return checked({ key: name, operator: operator === '>' ? 'Gt' : 'Lt', values });
    return checked({ key: name, operator: operator === '!=' ? 'NotIn' : 'In', values });
  }

  function isSymbol(symbol: string): boolean {
    return peek().is === 'symbol' && peek().text === symbol;
  }

  function key(): string {
    if (peek().is !== 'word') fail('identifier');
    const name = peek().text;
    const problem = labelKeyProblem(name);
    if (problem !== undefined) {
      throw new SelectorSyntaxError(
        `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(name)}: ${problem}`,
      );
    }
    at++;
    return name;
  }

  /** Absent means empty: `a=`. */
  function value(): string {
    if (peek().is === 'end' || isSymbol(',') || isSymbol(')')) return '';
    if (peek().is !== 'word') fail('identifier');
    return tokens[at++]?.text ?? '';
  }

  function set(): string[] {
    if (!isSymbol('(')) fail("'('");
    at++;
    if (isSymbol(')')) {
      throw new SelectorSyntaxError(
        "unable to parse requirement: for 'in', 'notin' operators, values set can't be empty",
      );
    }
    const values = [value()];
    while (isSymbol(',')) {
      at++;
      values.push(value());
    }
    if (!isSymbol(')')) fail("',', ')' or identifier");
    at++;
    return [...new Set(values)];
  }
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  if (operator === 'Gt' || operator === 'Lt') {
    if (!/^[+-]?\d+$/.test(values[0] ?? '')) {
      throw new SelectorSyntaxError(
        "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer",
      );
    }
  }
  for (const value of values) {
    const problem = labelValueProblem(value);
    if (problem === undefined) continue;
    const where = `values[0][${key}]`;
    throw new SelectorSyntaxError(
      `unable to parse requirement: ${where}: Invalid value: ${JSON.stringify(value)}: ${problem}`,
    );
  }
  return requirement;
}

function requirementHolds(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, unknown>>,
): boolean {
  const has = Object.hasOwn(labels, key);
  const value = has ? String(labels[key]) : '';
  switch (operator) {
    case 'Exists':
      return has;
    case 'DoesNotExist':
      return !has;
    case 'In':
      return has && values.includes(value);
    case 'NotIn':
      return !has || !values.includes(value);
    case 'Gt':
    case 'Lt': {
      if (!has || !/^[+-]?\d+$/.test(value)) return false;
      const a = integer(value);
      const b = integer(values[0] ?? '');
      return operator === 'Gt' ? a > b : a < b;
    }
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'Gt':
      return `${key}>${values[0]}`;
    case 'Lt':
      return `${key}<${values[0]}`;
  }
}

/** @throws {SelectorSyntaxError} */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    const found = /^((?:[^\\=!]|\\.)*?)(!=|==|=)([\s\S]*)$/.exec(term);
    if (found === null) throw new SelectorSyntaxError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = found;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) });
  }
  return new FieldSelector(requirements);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === ',') {
      terms.push(term);
      term = '';
    } else term += char === '\\' ? char + (text[++at] ?? '') : char;
  }
  return [...terms, term];
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

function unescapeValue(text: string): string {
  let value = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\\') {
      const next = text[++at];
      if (next === undefined || !'\\,='.includes(next)) {
        throw new SelectorSyntaxError(`invalid field selector: unknown escape sequence '\\${next ?? ''}' in '${text}'`);
      }
      value += next;
    } else if (char === '=' || char === ',') {
      throw new SelectorSyntaxError(`invalid field selector: unescaped character '${char}' in '${text}'`);
    } else value += char;
  }
  return value;
}

function integer(text: string): bigint {
  return BigInt(text.replace(/^\+/, ''));
}
