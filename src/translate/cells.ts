/** Cells of a Table that print a reference, by the rule that the table of kinds gives for their column. */
import type { JsonValue } from '../k8s/types.ts';
import type { CellRule, KindAtVersion } from '../kinds/kind.ts';
import { fromInert, INERT_PREFIX } from '../tenancy/inert.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import { decodeSegment } from '../tenancy/segments.ts';
import { countsInCell } from './hidden-counts.ts';
import { namingOf } from './names-check.ts';
import { NotOurs } from './not-ours.ts';
import { holdsOwnWords } from './own-words.ts';
import type { Scope } from './scope.ts';
import { GLOBAL_DEFAULT } from './special/default-mark.ts';
import { quotaKeyToTenant } from './special/quota-key.ts';
import { groupTargetDown } from './targets/group.ts';
import { messageToTenant } from './targets/message.ts';
import { nameTargetDown } from './targets/name.ts';
import { namespaceToTenant } from './targets/namespace.ts';

/** The row that the cell stands in: cells as upstream printed them, and the lower-case names of their columns. */
export interface Row {
  readonly before: readonly JsonValue[];
  readonly names: readonly string[];
  /** What the row's object showed to be the tenant's, by its upstream text. */
  readonly seen: ReadonlyMap<string, string>;
}

/** What `kubectl get` prints for nothing. */
const NOTHING = new Set(['', '<none>', '<unset>', '<unknown>']);

/** `Foo.example.com/x`; without a group nothing is mapped. */
const KIND_GROUP = /^([^./]+)\.([^/]+)\/(.*)$/;

/** `count/foos.stable.example.com: 1/5, pods: 0/3`: no key holds a comma, a colon or a blank. */
const QUOTA_KEY = /(^|, )([^,: ]+)(?=: )/g;

/** @throws {NotOurs} when the cell names something of somebody else */
export function cellToTenant(cell: JsonValue, rule: CellRule, at: KindAtVersion, scope: Scope, row: Row): JsonValue {
  switch (rule.cell) {
    case 'hidden':
      return '';
    case 'default':
      return row.seen.has(GLOBAL_DEFAULT) ? true : cell;
    case 'subjects':
      return subjects(rule.kind, scope, row);
    case 'message':
      return typeof cell === 'string' ? messageToTenant(cell, scope, row.seen) : cell;
    case 'anything':
      return typeof cell === 'string' ? anything(cell, scope, row) : cell;
    default:
      if (typeof cell !== 'string' || NOTHING.has(cell)) return cell;
  }
  switch (rule.cell) {
    case 'name':
      return nameTargetDown(cell, rule.of, scope);
    case 'namespace':
      return namespaceToTenant(cell, scope);
    case 'namespacedName': {
      const slash = cell.indexOf('/');
      return slash < 0 ? cell : `${namespaceToTenant(cell.slice(0, slash), scope)}${cell.slice(slash)}`;
    }
    case 'quota':
      return countsInCell(cell).replaceAll(
        QUOTA_KEY,
        (_all, before, key) => `${before}${quotaKeyToTenant(key, scope)}`,
      );
    case 'kindName':
      return kindName(cell, at, scope);
    case 'kindGroupName':
      return cell.replace(KIND_GROUP, (_all, kind, group, name) => `${kind}.${groupTargetDown(group, scope)}/${name}`);
  }
}

/** Text that may be a piece of any of the object: names that are known are mapped, and a text that holds more is blank. */
function anything(cell: string, scope: Scope, { seen }: Row): string {
  const mapped = messageToTenant(cell, scope, seen);
  return holdsOwnWords(mapped, scope) ? '' : mapped;
}

/** `ClusterRole/acme--reader` or, as events print it, `clusterrole/acme--reader`. */
function kindName(cell: string, at: KindAtVersion, scope: Scope): string {
  const slash = cell.indexOf('/');
  if (slash < 0) return cell;
  const kind = cell.slice(0, slash);
  const name = cell.slice(slash + 1);
  const named = scope.kinds.preferredByKind(scope.tenant, at.kind.group, kind);
  if (named !== undefined && namingOf(named) === 'same') return cell;
  const segment = scope.names.down(name as UpstreamName);
  if (segment === undefined) return cell;
  return `${kind}/${decodeSegment(segment) ?? segment}`;
}

/** All subjects are stored as inert Users and printed in one column; each column shows its own. */
function subjects(kind: 'User' | 'Group' | 'ServiceAccount', scope: Scope, { before, names }: Row): string {
  const printed = before[names.indexOf('users')];
  if (typeof printed !== 'string' || printed === '') return '';
  const shown: string[] = [];
  for (const part of printed.split(`, ${INERT_PREFIX}`)) {
    const name = part.startsWith(INERT_PREFIX) ? part : `${INERT_PREFIX}${part}`;
    const subject = fromInert(scope.tenant.id, name);
    if (subject === undefined) throw new NotOurs('a binding of a subject that is not inert');
    if (subject.kind === kind)
      shown.push(kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name);
  }
  return shown.join(', ');
}
