/**
 * Parses an Accept header into clauses, in the order in which kube-apiserver tries them. Its order is not the RFC's (a
 * concrete type goes before a wildcard whatever their weights), and clients have come to depend on the server's.
 *
 * @see github.com/munnerz/goautoneg autoneg.go, as k8s.io/apiserver v0.36 uses it
 */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  /** `q`; 0 when it is not a number. */
  readonly weight: number;
  /** Without `q`. Values as sent: a quoted one keeps its quotes, and so matches nothing. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Sorting is by insertion, as Go sorts short slices; a longer header has no honest use. */
const MAX_CLAUSES = 32;

/** Clauses that are no media range are left out. */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',', MAX_CLAUSES)) {
    const clause = parseClause(part);
    if (clause !== undefined) insert(clauses, clause);
  }
  return clauses;
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = '', ...rest] = part.split(';');
  const [type = '', subtype, more] = range.split('/').map((text) => text.trim());
  if (more !== undefined) return undefined;
  if (subtype === undefined || subtype === '') {
    if (type !== '*') return undefined;
  }
  let weight = 1;
  const parameters = new Map<string, string>();
  for (const text of rest) {
    const [name = '', value, extra] = text.split('=');
    if (value === undefined || value === '' || extra !== undefined) continue;
    if (name.trim() === 'q') weight = Number.parseFloat(value) || 0;
    else parameters.set(name.trim(), value.trim());
  }
  return { type, subtype: subtype === undefined || subtype === '' ? '*' : subtype, weight, parameters };
}

function insert(clauses: AcceptClause[], clause: AcceptClause): void {
  let at = clauses.length;
  while (at > 0 && goesBefore(clause, clauses[at - 1])) at--;
  clauses.splice(at, 0, clause);
}

function goesBefore(a: AcceptClause, b: AcceptClause | undefined): boolean {
  if (b === undefined) return false;
  return a.weight > b.weight || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}
