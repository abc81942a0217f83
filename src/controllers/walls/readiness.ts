/**
 * Whether the host is one on which the proxy may serve: the walls stand, and impersonation is limited. Looked at again
 * and again, since somebody may take a wall away under a running proxy; then it stops serving within seconds.
 */
import { ApiError } from '../../errors.ts';
import { pause } from '../../lib/backoff.ts';
import type { Upstream } from '../../ports.ts';
import { MUTATIONS_OBJECT } from '../../tenancy/host-names.ts';
import { createHostClient } from '../../upstream/host-client.ts';
import { impersonationProblem } from './impersonation.ts';
import type { Manifest } from './manifests.ts';
import { versionProblem } from './version.ts';
import { findMissingWalls } from './walls.ts';

export interface Readiness {
  /** Why the proxy is not ready and what to do, for the operator; undefined when it is ready. */
  problem(): string | undefined;
  /**
   * True when the only problem is that the host has not answered for a while: what was read before may be told to whoever
   * asks for no more, for some minutes.
   */
  mayRemember(): boolean;
  /** Resolves when it is ready for the first time; rejects when the signal ends it. */
  whenReady(): Promise<void>;
}

export interface ReadinessOptions {
  upstream: Upstream;
  manifests: readonly Manifest[];
  signal: AbortSignal;
  /** Between looks while not ready. */
  waitingMs?: number;
  /** Between looks while ready. */
  intervalMs?: number;
  /** Hears each change of the answer. */
  onChange?: (problem: string | undefined) => void;
}

/** How long what was read before is answered while the host cannot be reached. */
const MEMORY_MS = 5 * 60_000;
const WAITING_MS = 500;
const INTERVAL_MS = 10_000;

export function watchReadiness(options: ReadinessOptions): Readiness {
  const { upstream, manifests, signal } = options;
  const client = createHostClient(upstream, { as: 'provisioner' }, signal);
  let problem: string | undefined = 'the walls on the host have not been looked at yet';
  /** When the walls were last seen to stand, if nothing but silence was met since. */
  let stoodMs: number | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});

  async function look(): Promise<string | undefined> {
    try {
      const missing = await findMissingWalls(client, manifests);
      const found =
        missing.length === 0
          ? await impersonationProblem(upstream, signal)
          : ((await versionProblem(client)) ?? adviceFor(missing));
      stoodMs = found === undefined ? Date.now() : undefined;
      return found;
    } catch (error) {
      if (!isUnreachable(error)) stoodMs = undefined;
      return `the walls on the host cannot be looked at: ${String(error)}. Is deploy/ applied (kubectl apply -f deploy/)?`;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const found = await look();
      if (signal.aborted) break;
      if (found !== problem) options.onChange?.(found);
      problem = found;
      if (found === undefined) ready.resolve();
      const ms = found === undefined ? (options.intervalMs ?? INTERVAL_MS) : (options.waitingMs ?? WAITING_MS);
      if (!(await pause(ms, signal))) break;
    }
    problem = 'the proxy is shutting down';
    ready.reject(new Error(problem));
  }

  void run();
  return {
    problem: () => problem,
    mayRemember: () => stoodMs !== undefined && Date.now() - stoodMs < MEMORY_MS,
    whenReady: () => ready.promise,
  };
}

/** No answer at all, which says nothing of the walls. */
function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'ERR_UNAVAILABLE' || error.code === 'ERR_TIMEOUT');
}

function adviceFor(missing: readonly string[]): string {
  const isWebhook = missing.every((one) => one.includes(MUTATIONS_OBJECT));
  const command = isWebhook ? 'kubeveil host-webhook | kubectl apply -f -' : 'kubectl apply -f deploy/';
  return `the host lacks walls that tenants must be kept by: ${missing.join('; ')}. Run: ${command}`;
}
