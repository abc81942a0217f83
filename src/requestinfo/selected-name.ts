/**
 * The one object that a list or watch is about, when its field selector says `metadata.name=x`: RBAC may then grant it
 * by resourceNames. As in kube-apiserver, options that do not parse yield no name; the verb itself answers 400.
 *
 * @see k8s.io/apimachinery pkg/fields/selector.go (ParseSelector) at v0.36
 */
import type { Query } from '../exchange.ts';

const INTEGER = /^[+-]?\d+$/;

/** The name, or undefined when the selector does not pin exactly one that could stand in a path. */
export function selectedName(query: Query): string | undefined {
  for (const parameter of ['limit', 'timeoutSeconds']) {
    const value = query.get(parameter);
    if (value !== undefined && value !== '' && !INTEGER.test(value)) return undefined;
  }
  const selector = query.get('fieldSelector');
  if (selector === undefined) return undefined;
  let name: string | undefined;
  for (const term of splitTerms(selector)) {
    if (term === '') continue;
    const parsed = parseTerm(term);
    if (parsed === undefined) return undefined;
    if (name === undefined && parsed.field === 'metadata.name' && parsed.operator !== '!=') name = parsed.value;
  }
  return name !== undefined && isPathSegment(name) ? name : undefined;
}

/** Splits at commas that no backslash escapes; the escapes stay. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    if (selector[at] === '\\') at++;
    else if (selector[at] === ',') {
      terms.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function parseTerm(term: string): { field: string; operator: string; value: string } | undefined {
  const at = term.search(/!=|=/);
  if (at < 0) return undefined;
  const operator = /^(?:!=|==|=)/.exec(term.slice(at))?.[0] ?? '=';
  const value = unescapeValue(term.slice(at + operator.length));
  return value === undefined ? undefined : { field: term.slice(0, at), operator, value };
}

/** `\,`, `\=` and `\\` are escapes; any other backslash, and a bare `,` or `=`, is a fault. */
function unescapeValue(value: string): string | undefined {
  let text = '';
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (character === '\\') {
      const next = value[++at];
      if (next !== '\\' && next !== ',' && next !== '=') return undefined;
      text += next;
    } else if (character === '=' || character === ',') return undefined;
    else text += character;
  }
  return text;
}

function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
