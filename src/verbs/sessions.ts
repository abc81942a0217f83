/**
 * How new what is kept in memory has to be for a tenant whose policy says `consistency: session`: what the tenant itself
 * wrote through this replica is in every read that follows; what others write shows a moment later. Reads that name no
 * revision are then answered from memory like those that name one.
 *
 * For each kind the revision is known up to which the tenant has written. A deletion is answered without its revision, of
 * a write that failed on the way nobody knows what became of it, and after a start nothing is known: the next list that
 * upstream answers says it.
 *
 * A list that is older than what was known before it was asked for tells that the host's store was restored from a backup.
 * What was known then means nothing, and neither does what is in memory.
 */
import type { ResourceRequest } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';

/** Of whom, and which kind. */
type Of = Pick<ResourceRequest, 'tenant' | 'at'>;

interface Mark {
  /** The newest since the last of which the revision is not known. */
  version: string;
  /** False while something newer may have been written. */
  isKnown: boolean;
  /** Counts the writes of which the revision is not known. */
  unknown: number;
}

/** Kinds of tenants; what is forgotten has to be asked for again. */
const REMEMBERED = 50_000;

export class Sessions {
  readonly #marks = new Map<string, Mark>();
  readonly #onRestored: () => void;

  /** @param onRestored called where upstream is found to have gone back */
  constructor(onRestored: () => void) {
    this.#onRestored = onRestored;
  }

  /** What is at least as new has all that was written. Undefined when only upstream can tell. */
  floor(call: Of): string | undefined {
    const mark = this.#marks.get(keyOf(call));
    return mark?.isKnown === true ? mark.version : undefined;
  }

  /** @param version that the write was given; `''` when it is not known, or not whether anything was written */
  wrote(call: Of, version: string): void {
    const mark = this.#marks.get(keyOf(call));
    if (mark === undefined) return;
    if (version === '') forget(mark);
    else mark.version = newest(mark.version, version);
  }

  /** Upstream is asked for the newest from now on. @returns takes the revision of its answer */
  listing(call: Of): (version: string) => void {
    const key = keyOf(call);
    const mark = this.#marks.get(key) ?? { version: '', isKnown: false, unknown: 0 };
    // Behind those that were asked about before it.
    this.#marks.delete(key);
    this.#marks.set(key, mark);
    const [oldest = ''] = this.#marks.keys();
    if (this.#marks.size > REMEMBERED) this.#marks.delete(oldest);
    const { unknown, version: before } = mark;
    return (version) => {
      // What was written meanwhile may not be in it: its revision is known, or another list has to tell.
      if (version === '' || mark.unknown !== unknown || this.#marks.get(key) !== mark) return;
      if (before !== '' && compareVersions(version, before) < 0) {
        forget(mark);
        this.#onRestored();
        return;
      }
      mark.version = newest(mark.version, version);
      mark.isKnown = true;
    };
  }
}

/** What was written before is in the list that has to tell, also when the host has gone back to a backup. */
function forget(mark: Mark): void {
  mark.version = '';
  mark.isKnown = false;
  mark.unknown += 1;
}

function keyOf({ tenant, at: { kind } }: Of): string {
  return `${tenant.uid} ${kind.group}/${kind.resource}`;
}

function newest(a: string, b: string): string {
  return compareVersions(a, b) >= 0 ? a : b;
}
