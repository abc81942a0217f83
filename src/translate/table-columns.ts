/**
 * Columns of a Table watch. Upstream sends them with the first event alone, and that one may be of another tenant: so
 * they are remembered with the scope of the connection, used for the cells of all later events, and handed to the
 * client with the first event that it does see.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/response.go (asTable) at v0.36
 */
import { isTable } from '../k8s/shapes.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Scope } from './scope.ts';

interface Columns {
  definitions: JsonValue[];
  delivered: boolean;
}

const remembered = new WeakMap<Scope, Columns>();

/** Takes note of a Table's columns, when it has any. Called for every event, before it is decided whose it is. */
export function rememberColumns(object: JsonObject, scope: Scope): void {
  const { columnDefinitions } = object;
  if (!isTable(object) || !Array.isArray(columnDefinitions) || columnDefinitions.length === 0) return;
  remembered.set(scope, { definitions: columnDefinitions, delivered: remembered.get(scope)?.delivered ?? false });
}

/** The columns that a Table's cells stand under; undefined when none are known. */
export function columnsOf(table: JsonObject, scope: Scope): JsonValue[] | undefined {
  const { columnDefinitions } = table;
  if (Array.isArray(columnDefinitions) && columnDefinitions.length > 0) return columnDefinitions;
  return remembered.get(scope)?.definitions;
}

/** The event's Table as the client must see it: with the columns when no earlier one had them. */
export function withColumnsOnce(table: JsonObject, scope: Scope): JsonObject {
  const columns = remembered.get(scope);
  if (columns === undefined || columns.delivered) return table;
  columns.delivered = true;
  return { ...table, columnDefinitions: columns.definitions.filter(isObject) };
}
