/**
 * A Table in tenant terms: each row's object, and the cells that print a reference. A row without an object cannot be
 * told apart from others' and is left out, so upstream is always asked for metadata at least.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
import { annotationOf } from '../k8s/meta.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue, splitApiVersion } from '../k8s/types.ts';
import { hostSide } from '../kinds/at-version.ts';
import type { CellRule, KindAtVersion } from '../kinds/kind.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import { cellToTenant } from './cells.ts';
import { nameToTenant } from './names-check.ts';
import { NotOurs, shownOr } from './not-ours.ts';
import { sideOf, toTenant } from './object.ts';
import type { Scope } from './scope.ts';
import { columnsOf, rememberColumns } from './table-columns.ts';

/**
 * Maps a Table in place.
 * @param onLeftOut called with the reason for each row that is left out
 * @param isBookmark of a watch: its rows stand for no object
 */
export function tableToTenant(
  table: JsonObject,
  at: KindAtVersion,
  scope: Scope,
  onLeftOut: (error: NotOurs) => void = () => {},
  isBookmark = false,
): JsonObject {
  const { rows, metadata } = table;
  if (isObject(metadata)) delete metadata['selfLink'];
  if (!Array.isArray(rows)) return table;
  rememberColumns(table, scope);
  const columns = columnsOf(table, scope);
  const rules = rulesBySide(columns ?? [], at);
  table['rows'] = rows.flatMap((row) => {
    if (!isObject(row)) return [];
    if (isBookmark) return [bookmarkRow(row, at)];
    const shown = shownOr(() => {
      // Cells whose columns nobody knows cannot be mapped.
      if (columns === undefined) throw new NotOurs(`a row of ${at.kind.kind} without columns`);
      return rowToTenant(row, rules, at, scope);
    }, onLeftOut);
    return shown === undefined ? [] : [shown];
  });
  return table;
}

/** What to do with the cells of one column; `name` is the object's own name. */
type ColumnRule = CellRule | { readonly cell: 'ownName' } | undefined;

interface Rules {
  readonly rules: readonly ColumnRule[];
  /** Of the columns, in lower case. */
  readonly names: readonly string[];
}

type RulesBySide = (side: KindAtVersion['class']) => Rules;

/** Of a mixed kind, the host's objects may hide a cell that the tenant's own show. */
function rulesBySide(columns: JsonValue[], at: KindAtVersion): RulesBySide {
  const own = rulesOf(columns, at);
  const host = at.class === 'mixed' ? rulesOf(columns, hostSide(at)) : own;
  return (side) => (side === 'published' ? host : own);
}

function rulesOf(columns: JsonValue[], at: KindAtVersion): Rules {
  const names = columns.map((column) => {
    const name = isObject(column) ? column['name'] : undefined;
    return typeof name === 'string' ? name.toLowerCase() : '';
  });
  const rules = names.map((name, index): ColumnRule => {
    const column = columns[index];
    if (isObject(column) && column['format'] === 'name') return { cell: 'ownName' };
    return Object.hasOwn(at.kind.columns, name) ? at.kind.columns[name] : undefined;
  });
  return { rules, names };
}

function rowToTenant(row: JsonObject, rulesOfSide: RulesBySide, given: KindAtVersion, scope: Scope): JsonObject {
  const { object, cells } = row;
  if (!isObject(object)) throw new NotOurs(`a row of ${given.kind.kind} without its object`);
  const at = sideOf(object, given, scope);
  const { rules, names } = rulesOfSide(at.class);
  // A cell may print what the object is, as a whole or in part.
  const [upstreamGroup] = splitApiVersion(at.upstreamApiVersion);
  const seen = new Map<string, string>([
    [at.upstreamApiVersion, apiVersionOf(at.kind.group, at.version)],
    [upstreamGroup, at.kind.group],
  ]);
  row['object'] = toTenant(object, at, scope, seen);
  if (!Array.isArray(cells)) return row;
  const before = [...cells];
  rules.forEach((rule, index) => {
    const cell = cells[index];
    if (rule === undefined || cell === undefined) return;
    cells[index] =
      rule.cell === 'ownName'
        ? ownName(cell, row['object'] as JsonObject, at, scope)
        : cellToTenant(cell, rule, at, scope, { before, names, seen });
  });
  return row;
}

function ownName(cell: JsonValue, shown: JsonObject, at: KindAtVersion, scope: Scope): JsonValue {
  if (typeof cell !== 'string') return cell;
  const name = nameToTenant(cell as UpstreamName, at, scope);
  if (name === undefined) throw new NotOurs(`a row named ${JSON.stringify(cell)}`);
  return at.class === 'native' && isPrintedDefault(shown, at) ? `${name} (default)` : name;
}

/** The host prints the same of its own defaults. */
function isPrintedDefault(shown: JsonObject, { kind }: KindAtVersion): boolean {
  const mark = kind.defaultMark;
  if (mark === undefined || !('annotations' in mark) || mark.printed !== true) return false;
  return mark.annotations.some((key) => annotationOf(shown, key) === 'true');
}

/** Of a bookmark's row only the revision is kept. */
function bookmarkRow(row: JsonObject, at: KindAtVersion): JsonObject {
  const { object } = row;
  if (!isObject(object) || !isObject(object['metadata'])) return { ...row, object: null };
  const { name } = object['metadata'];
  if (name !== undefined && name !== '') throw new NotOurs(`a bookmark of ${at.kind.kind} that names an object`);
  if (object['apiVersion'] === at.upstreamApiVersion) object['apiVersion'] = apiVersionOf(at.kind.group, at.version);
  return row;
}
