/**
 * The shapes of the Kubernetes wire format that more than one stage speaks.
 *
 * Objects stay plain JSON: the proxy never decodes into typed structs, so a field it does not know survives.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** `metav1.Status`: every refusal a client sees has this shape. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: JsonObject;
  status: 'Success' | 'Failure';
  message: string;
  /** Left out where who decided gave none: an admission webhook. */
  reason?: string;
  details?: StatusDetails;
  code: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** One event of a watch stream. `object` is the whole object, a bookmark, or a `Status` for ERROR. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: JsonObject;
}

/** Group, version and kind: what a body names. */
export interface Gvk {
  group: string;
  version: string;
  kind: string;
}

/** What the compiler's library does not declare yet: numbers that keep their digits, made by `JSON.rawJSON`. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** Narrows a JSON value to an object; arrays, null and numbers kept as text (`codec/json.ts`) are not objects. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** `apps` + `v1` -> `apps/v1`; the core group has no slash. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `apps/v1` -> `['apps', 'v1']`; `v1` -> `['', 'v1']`. */
export function splitApiVersion(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
