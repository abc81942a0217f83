/** A key that stands more than once in one object of a document: how strict the API server is about it, a request says. */
export interface RepeatedKey {
  /** To the value: keys and positions, the key itself last. */
  readonly path: readonly (string | number)[];
  /** Where it stands once more, from 1. */
  readonly line: number;
  /** How many different keys of its object stand before it. */
  readonly after: number;
}
