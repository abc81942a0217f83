/** How far a watch has come, and waiting until it has come further. It only ever grows. */
import { compareVersions } from '../k8s/meta.ts';

export class Progress {
  readonly #waiting = new Set<() => void>();
  #version = '';

  /** Every event up to this revision has been told; `''` before anything is known. */
  get version(): string {
    return this.#version;
  }

  advance(version: string): void {
    if (compareVersions(version, this.#version) <= 0) return;
    this.#version = version;
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves to false when it takes longer. */
  async reaches(version: string, withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = (): void => {
      if (compareVersions(this.#version, version) >= 0) resolve(true);
    };
    const timer = setTimeout(() => resolve(false), withinMs);
    this.#waiting.add(look);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }
}
