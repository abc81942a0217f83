/**
 * Where all that follow one host tell each other that its store was restored from a backup. Each sees it by a revision
 * that went back, but only as long as the host has not come as far again: who asks later finds nothing odd, would go on
 * from where it was, and keep for ever what has never happened.
 *
 * @see https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/#restoring-an-etcd-cluster
 */
export class HostHistory {
  readonly #listeners = new Set<() => void>();
  #restores = 0;

  /** How often it was restored since the process began, as far as anybody has found. */
  get restores(): number {
    return this.#restores;
  }

  /** @param known how many restores there were when what was found to have gone back was read: each counts once */
  foundRestored(known: number): void {
    if (known !== this.#restores) return;
    this.#restores += 1;
    for (const listener of [...this.#listeners]) listener();
  }

  /** @param listener told of each restore; must not throw @returns ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
