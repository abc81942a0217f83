/**
 * A collection of an API server as it is followed: the interface only, in the words of client-go.
 * @see k8s.io/client-go tools/cache/shared_informer.go at v0.36
 */
import type { JsonObject } from './types.ts';

/** A live, local copy of one upstream collection: LIST, then WATCH, resumed for ever. */
export interface Informer {
  /** Resolves once the first LIST is in; rejects only when the process is ending. */
  whenSynced(): Promise<void>;
  readonly synced: boolean;
  /** `namespace` is '' for a cluster-scoped object. Objects are in upstream terms and must not be changed. */
  get(namespace: string, name: string): JsonObject | undefined;
  list(): Iterable<JsonObject>;
  /** Called for every change, and at once for what is there already. Returns how to stop. */
  subscribe(listener: (event: InformerEvent) => void): () => void;
  /** Applies the result of our own write at once, so that what follows sees it; an older version changes nothing. */
  note(object: JsonObject): void;
  /** Applies a deletion of our own at once. A newer object of the same name, which has another uid, stays. */
  forget(deleted: DeletedObject): void;
}

/** What is known of an object that is gone, in upstream terms. `namespace` is '' for a cluster-scoped one. */
export interface DeletedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface InformerEvent {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: JsonObject;
  readonly previous?: JsonObject;
}
