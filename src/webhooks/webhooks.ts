/**
 * Calls tenants' webhooks. A Service is reached in the tenant's own pods, through the host's API server and the pod's
 * node, with TLS from end to end; a URL only where the tenant's policy file names its host. Redirects lead nowhere.
 *
 * However a webhook behaves, it costs its own tenant alone: its calls have places of their own, an end in time, and a
 * largest answer; one that hangs is soon not asked any more for a while.
 *
 * @see k8s.io/apiserver pkg/util/webhook/client.go at v0.36
 * @see docs/decisions/0027-webhooks-by-port-forward.md
 */
import type { Duplex } from 'node:stream';
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import { CpuShare, type CpuShareOptions } from '../lib/cpu-share.ts';
import type {
  NamespaceRegistry,
  Upstream,
  UpstreamForwarding,
  WebhookAnswer,
  WebhookCall,
  Webhooks,
} from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { documentIn } from './answer.ts';
import { Breaker } from './breaker.ts';
import { failureOf, openTcp } from './dial.ts';
import { createWebhookPools } from './pools.ts';
import { createServiceBackends } from './service-backends.ts';
import { type Target, targetOf } from './target.ts';
import { Turns } from './turns.ts';
import { WebhookFailure } from './webhook-failure.ts';

/** More than any object and a patch of it can be. */
const RESPONSE_BYTES = 8 * 1024 * 1024;
const CALLS_AT_ONCE = 20;
/** Larger answers are read in the tenant's turn: a short request may be answered with a million objects. */
const FREE_BYTES = 16 * 1024;
const READING = { burstMs: 500, msPerSecond: 100 };

export interface WebhooksOptions {
  readonly upstream: Pick<Upstream, 'request'> & UpstreamForwarding;
  readonly namespaces: Pick<NamespaceRegistry, 'state'>;
  /** Whether the tenant's policy names this host, for webhooks that are given by URL. */
  readonly mayReach: (tenant: Tenant, host: string, port: number) => boolean;
  readonly nowMs?: () => number;
  /** How much of the process one tenant's large answers may use. */
  readonly reading?: Pick<CpuShareOptions, 'burstMs' | 'msPerSecond'>;
}

export interface ClosableWebhooks extends Webhooks {
  close(): Promise<void>;
}

export function createWebhooks({
  upstream,
  namespaces,
  mayReach,
  nowMs = Date.now,
  reading: share = READING,
}: WebhooksOptions): ClosableWebhooks {
  const backends = createServiceBackends({ upstream, namespaces, nowMs });
  const pools = createWebhookPools(RESPONSE_BYTES);
  const reading = new CpuShare({ ...share, late: (_waitMs, cause) => cause as Error });
  const turns = new Turns(CALLS_AT_ONCE);
  const breaker = new Breaker(nowMs);

  function way(tenant: Tenant, { host, port, service }: Target): (signal: AbortSignal) => Promise<Duplex> | Duplex {
    if (service === undefined) return () => openTcp(host, port);
    return async (signal) => {
      const { identity, path, port: target } = await backends.choose(tenant, service);
      try {
        return await upstream.forward({ identity, path, port: target, signal });
      } catch (error) {
        backends.forget(tenant, service);
        throw failureOf(error, host);
      }
    };
  }

  async function post(call: WebhookCall, target: Target, signal: AbortSignal): Promise<JsonObject> {
    const pool = pools.get(call.tenant.uid, target, way(call.tenant, target));
    const request = {
      method: 'POST',
      path: pathOf(call, target),
      headers: {
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'user-agent': 'kube-apiserver-admission',
      },
      body: stringifyJson(call.body),
      signal,
      // The signal ends the call.
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const;
    const answer = await pool.request(request).catch(async (error: unknown) => {
      // Of a connection that was kept, and that the other side had closed.
      if ((error as { code?: string }).code !== 'UND_ERR_SOCKET' || signal.aborted) throw error;
      return await pool.request(request);
    });
    const bytes = new Uint8Array(await answer.body.arrayBuffer());
    const read = () => documentIn(answer.statusCode, bytes);
    return bytes.length <= FREE_BYTES ? read() : await reading.run(call.tenant.uid, signal, read);
  }

  async function ask(call: WebhookCall): Promise<JsonObject> {
    const target = targetOf(call.clientConfig);
    const words = (why: string) => `Post ${JSON.stringify(target.origin + pathOf(call, target))}: ${why}`;
    const { tenant } = call;
    if (target.service === undefined && !mayReach(tenant, target.host, target.port)) {
      throw new WebhookFailure(words(`the policy of this cluster does not let webhooks be at ${target.host}`));
    }
    const key = `${tenant.uid} ${target.origin}${target.path}`;
    if (!breaker.mayAsk(key)) {
      throw new WebhookFailure(
        words('context deadline exceeded, as for the calls before: it is left alone for a moment'),
      );
    }
    using time = within(call.signal, call.timeoutMs);
    try {
      const document = await turns.run(tenant.uid, time.signal, () => post(call, target, time.signal));
      breaker.answered(key);
      return document;
    } catch (error) {
      if (call.signal.aborted) throw over(call.signal);
      if (time.signal.aborted) {
        if (call.isCut !== true) breaker.timedOut(key);
        throw new WebhookFailure(words('context deadline exceeded'), { cause: error, timedOut: true });
      }
      breaker.answered(key);
      if ((error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
        throw new WebhookFailure(words(`the answer is larger than ${RESPONSE_BYTES} bytes`), { cause: error });
      }
      // What was answered is told as it is; what became of the connection, with its address.
      if (error instanceof WebhookFailure && error.isAnswer) throw error;
      throw new WebhookFailure(words(failureOf(error, target.host).message), { cause: error });
    }
  }

  return {
    async call(call): Promise<WebhookAnswer> {
      try {
        return { document: await ask(call) };
      } catch (error) {
        if (error instanceof WebhookFailure) return { failure: error.message, timedOut: error.timedOut };
        throw error;
      }
    },
    close: () => pools.close(),
  };
}

function pathOf({ tellsTimeout, timeoutMs }: WebhookCall, { path }: Target): string {
  return tellsTimeout ? `${path}?timeout=${Math.ceil(timeoutMs / 1000)}s` : path;
}

function over({ reason }: AbortSignal): ApiError {
  if (reason instanceof ApiError) return reason;
  return new ApiError('ERR_TIMEOUT', 'request did not complete within requested timeout', {
    cause: reason,
    why: 'aborted',
  });
}

/** A signal that fires when the other does, or the time is up. */
function within(other: AbortSignal, timeoutMs: number): Disposable & { readonly signal: AbortSignal } {
  const ending = new AbortController();
  const stop = (): void => ending.abort(other.reason);
  const timer = setTimeout(
    () => ending.abort(new DOMException('the webhook took too long', 'TimeoutError')),
    timeoutMs,
  );
  if (other.aborted) stop();
  else other.addEventListener('abort', stop, { once: true });
  return {
    signal: ending.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      other.removeEventListener('abort', stop);
    },
  };
}
