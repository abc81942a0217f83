/**
 * Label and field selectors: lists of requirements, which all must hold. Field selectors are read here, label selectors in
 * `label-selector-parser.ts`.
 *
 *   metadata.name=web,status.phase!=Running       `\` escapes `,` `=` and itself
 *
 * Refuses what kube-apiserver refuses. Selectors are only ever joined as lists, never by joining text.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go and pkg/fields/selector.go at v0.36
 */
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
        throw new SelectorSyntaxError(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      }
      value += next;
    } else if (char === '=' || char === ',') {
      throw new SelectorSyntaxError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else value += char;
  }
  return value;
}

function integer(text: string): bigint {
  return BigInt(text.replace(/^\+/, ''));
}
