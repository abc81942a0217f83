/**
 * What was done to objects, when, and what may therefore be read. Each object has one writer, who does one thing after the
 * other; a write that was not answered may have been done or not, and counts for neither.
 */

interface Write {
  readonly deletes: boolean;
  /** Revision that the API server gave it; undefined when it was not answered, or deletes. */
  readonly version: bigint;
  readonly begunMs: number;
  /** Infinite when it was not answered. */
  readonly doneMs: number;
}

/** What must be in a read that begins now. */
export interface Floor {
  readonly atMs: number;
  /** Of each object, the last write that was done. */
  readonly writes: ReadonlyMap<string, Write>;
  /** The newest of all revisions. */
  readonly version: bigint;
}

export class History {
  readonly #writes = new Map<string, Write[]>();

  /** @param version undefined when there was no answer */
  note(name: string, deletes: boolean, begunMs: number, version: bigint | undefined): void {
    const all = this.#writes.get(name) ?? [];
    const doneMs = version === undefined ? Number.POSITIVE_INFINITY : performance.now();
    this.#writes.set(name, [...all, { deletes, version: version ?? 0n, begunMs, doneMs }]);
  }

  /** For a read that begins at this moment. */
  floor(): Floor {
    const atMs = performance.now();
    const writes = new Map<string, Write>();
    let version = 0n;
    for (const [name, all] of this.#writes) {
      const last = all.findLast(({ doneMs }) => doneMs <= atMs);
      if (last === undefined) continue;
      writes.set(name, last);
      if (last.version > version) version = last.version;
    }
    return { atMs, writes, version };
  }

  /**
   * Why a read that began at the floor and has ended now cannot have been of the newest; undefined when it can.
   * @param found revision of the object; undefined when it was not there
   */
  contradiction(floor: Floor, name: string, found: bigint | undefined): string | undefined {
    const last = floor.writes.get(name);
    if (last === undefined) return undefined;
    if (found !== undefined) {
      if (found >= last.version && !(last.deletes && found === last.version)) return undefined;
      return `${name} was read at revision ${found}, after ${last.deletes ? 'it was deleted' : 'it was written'} at ${last.version}`;
    }
    if (last.deletes) return undefined;
    // Whoever deletes it meanwhile, or may have: what began before the floor and was not answered counts too.
    const isDeleted = this.#writes.get(name)?.some((one) => one.deletes && one.doneMs > floor.atMs);
    return isDeleted ? undefined : `${name} was not there, after it was written at ${last.version}`;
  }
}
