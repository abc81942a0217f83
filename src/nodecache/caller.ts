/** Who sends a request to the node cache, as the API server knows them. */
export interface Caller {
  readonly username: string;
  /** With `system:authenticated`. */
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
  readonly how: 'certificate' | 'token';
}
