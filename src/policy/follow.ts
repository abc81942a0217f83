/**
 * The policy files while the proxy runs: read again when they change. A version with a fault in any file changes nothing,
 * the last good one goes on and the operator is told, once. By looking at what the files say, for in a container a folder
 * is replaced by way of links.
 */
import { type PolicyTexts, readPolicyFolder } from './folder.ts';
import { parsePolicies } from './load.ts';
import type { Policies } from './policy.ts';

export interface FollowedPolicies extends Policies, Disposable {}

export interface FollowOptions {
  readonly onReload: () => void;
  /** A version that is not taken. */
  readonly onInvalid: (error: unknown) => void;
  readonly everyMs?: number;
}

const LOOK_EVERY_MS = 2_000;

/** @throws {PolicyError} when the files are not valid at the start */
export function followPolicies(folder: string, options: FollowOptions): FollowedPolicies {
  const { onReload, onInvalid, everyMs = LOOK_EVERY_MS } = options;
  const listeners = new Set<() => void>();
  let files = readPolicyFolder(folder);
  let policies = parsePolicies(folder, files);

  function look(): void {
    const now = readPolicyFolder(folder);
    if (isSame(now, files)) return;
    // Also when they are not valid: that is told once.
    files = now;
    try {
      policies = parsePolicies(folder, now);
    } catch (error) {
      onInvalid(error);
      return;
    }
    onReload();
    for (const changed of listeners) changed();
  }

  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    of: (tenant) => policies.of(tenant),
    get names() {
      return policies.names;
    },
    get reservedTenantIds() {
      return policies.reservedTenantIds;
    },
    get rulesPolicy() {
      return policies.rulesPolicy;
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function isSame(a: PolicyTexts, b: PolicyTexts): boolean {
  const sameTexts = a.texts.size === b.texts.size && [...a.texts].every(([path, text]) => b.texts.get(path) === text);
  return sameTexts && a.problems.join('\n') === b.problems.join('\n');
}
