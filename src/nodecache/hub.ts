/**
 * The hub between node caches and the API server: what the hub keeps is asked of it, and of the API server whenever the hub
 * does not answer or has nothing to say. Both tell the same revisions, so that a watch goes on with either where it was
 * with the other.
 */
import type { Probe } from '../k8s/revision-probe.ts';
import type { Upstream, UpstreamRequest, UpstreamStream } from '../ports.ts';
import { OWN_PREFIX } from '../tenancy/names.ts';
import { HUB_ANSWER_MS, HUB_AWAY_MS } from './limits.ts';

export interface HubWay extends Upstream {
  /** Whether the hub is there; undefined while it is left alone. */
  pulse(withinMs: number): Promise<boolean> | undefined;
}

export interface HubWayOptions {
  readonly hub: Upstream;
  readonly apiServer: Upstream;
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Of a hub: it has pages of nothing, and the revision of a list that is empty for everybody. */
export const HUB_PROBE: Probe = { query: [['labelSelector', `${OWN_PREFIX}none`]], accept: 'application/json' };

export function hubFirst({ hub, apiServer, nowMs, random, onError }: HubWayOptions): HubWay {
  let awayUntilMs = 0;

  function isAway(): boolean {
    return nowMs() < awayUntilMs;
  }

  function leave(why: unknown): void {
    onError(why);
    awayUntilMs = nowMs() + HUB_AWAY_MS * (1 + random());
  }

  /** Undefined where the API server is to be asked. @param drop lets go of an answer that is not used */
  async function askHub<T extends { status: number }>(
    asked: UpstreamRequest,
    ask: (request: UpstreamRequest) => Promise<T>,
    drop: (answer: T) => Promise<void>,
  ): Promise<T | undefined> {
    if (isAway()) return undefined;
    // Until it begins to answer; a watch is then as long as it likes.
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(new Error('the hub did not answer in time')), HUB_ANSWER_MS);
    const signal = AbortSignal.any([waiting.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
    try {
      const answer = await ask({ ...asked, signal });
      // 410 is of the API server itself too, and asking it again would not help.
      if (answer.status < 400 || answer.status === 410) return answer;
      await drop(answer);
      if (answer.status >= 500) leave(new Error(`the hub answered with ${answer.status}`));
    } catch (error) {
      // Who asked has gone away, not the hub.
      asked.signal?.throwIfAborted();
      leave(error);
    } finally {
      clearTimeout(timer);
    }
    return undefined;
  }

  return {
    async request(one) {
      return (await askHub(one, (to) => hub.request(to), nothing)) ?? (await apiServer.request(one));
    },
    async stream(one) {
      return (await askHub(one, (to) => hub.stream(to), readToEnd)) ?? (await apiServer.stream(one));
    },
    pulse(withinMs) {
      return isAway() ? undefined : pulse(withinMs);
    },
  };

  async function pulse(withinMs: number): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(withinMs);
      const { status } = await hub.request({ identity: { as: 'reader' }, method: 'GET', path: '/readyz', signal });
      if (status === 200) return true;
      leave(new Error(`the hub is not ready: ${status}`));
    } catch (error) {
      leave(error);
    }
    return false;
  }
}

const nothing = async (): Promise<void> => {};

/** It is an error, and short. */
async function readToEnd({ chunks }: UpstreamStream): Promise<void> {
  for await (const _ of chunks);
}
