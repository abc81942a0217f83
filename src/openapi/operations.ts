/** Which operations of a path a tenant has: those of verbs that discovery tells of. */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

const ACTION = 'x-kubernetes-action';
const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

/** Verbs by what the API server calls them in its documents; `connect` is of whoever has the subresource. */
const VERBS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['get', 'get'],
  ['list', 'list'],
  ['watch', 'watch'],
  ['watchlist', 'watch'],
  ['post', 'create'],
  ['put', 'update'],
  ['patch', 'patch'],
  ['delete', 'delete'],
  ['deletecollection', 'deletecollection'],
]);

/** The path item with those operations; undefined where none is left of what it had. */
export function withOperations(item: JsonValue, verbs: readonly string[]): JsonObject | undefined {
  if (!isObject(item)) return undefined;
  const kept = Object.entries(item).filter(([method, operation]) => {
    const verb = METHODS.has(method) && isObject(operation) ? VERBS.get(operation[ACTION]) : undefined;
    return verb === undefined || verbs.includes(verb);
  });
  return kept.some(([method]) => METHODS.has(method)) ? Object.fromEntries(kept) : undefined;
}
