/**
 * The documents that the API server makes of any kind: Tables, objects cut to their metadata, and Status. Told by kind
 * and group together: a CRD may define a kind of any of these names in a group of its own.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/types.go at v0.36
 */
import { type JsonObject, splitApiVersion } from './types.ts';

const GROUP = 'meta.k8s.io';

export const PARTIAL = 'PartialObjectMetadata';
export const PARTIAL_LIST = 'PartialObjectMetadataList';

/** What rows of a Table may hold of their objects: values of `includeObject`. */
export const ROWS: ReadonlySet<string> = new Set(['', 'Metadata', 'Object', 'None']);

export function isTable(document: JsonObject): boolean {
  return isMeta(document, 'Table');
}

/** One object of which only the metadata is shown. */
export function isPartial(document: JsonObject): boolean {
  return isMeta(document, PARTIAL);
}

export function isPartialList(document: JsonObject): boolean {
  return isMeta(document, PARTIAL_LIST);
}

export function isStatus(document: JsonObject): boolean {
  return document['kind'] === 'Status' && document['apiVersion'] === 'v1';
}

function isMeta({ kind, apiVersion }: JsonObject, wanted: string): boolean {
  return kind === wanted && typeof apiVersion === 'string' && splitApiVersion(apiVersion)[0] === GROUP;
}
