/** How an API server is asked for the revision that it is at, for a price that does not grow with the collection. */
export interface Probe {
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly accept: string;
}

/** One object's metadata: the list says the revision. */
export const ONE_ITEM: Probe = {
  query: [['limit', '1']],
  accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
};
