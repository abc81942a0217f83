/**
 * The answers that last, judged again while they do. Whoever opened a watch had the right to it then; the right may be
 * taken away, the credential may end, the tenant may go and another come under its name. So each is asked again about
 * every second, in one sweep over all of them, and ended with the refusal that a new request would meet.
 *
 * What memory can tell is asked of every stream in every sweep. What only the host can tell (does this token still
 * stand?) is asked once for all streams of one credential, and of a bounded number of credentials in each sweep, so that
 * open streams never cost the host more than a fixed rate. Where nothing can be told, because the host does not answer,
 * a stream goes on for a bounded time and no longer.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import { every as everyPeriod } from '../lib/every.ts';

/** What is asked about one stream. A refusal is an {@link ApiError} below 500; any other error means "cannot be told". */
export interface Judge {
  /** Does the tenant still stand that the stream was opened for? Asked before each event, hence cheap. */
  tenant(): void;
  /** All that memory can tell: tenant, certificate, rights. */
  now(): void;
  /** Left out when `now` tells all. Streams with the same key are asked about together. */
  readonly credential?: { readonly key: string; check(): Promise<void> } | undefined;
}

export interface OpenStream {
  /** Fires when the stream must end; the reason is an {@link ApiError}. */
  readonly until: AbortSignal;
  /** Asked before each event is sent. Ends the stream when the tenant is not there any more, or is not known. */
  mayGoOn(): boolean;
  leave(): void;
}

export interface OpenStreams extends Disposable {
  readonly size: number;
  enter(judge: Judge): OpenStream;
  /** One round; the timer calls it. Resolves when every stream has been asked what memory can tell. */
  sweep(): Promise<void>;
}

export interface OpenStreamsOptions {
  readonly nowMs: () => number;
  /** Calls again and again until the function that is returned is called. */
  readonly every?: (periodMs: number, call: () => void) => () => void;
  readonly periodMs?: number;
  /** How long a stream goes on that nothing can be told about. */
  readonly graceMs?: number;
  /** Credentials that the host is asked about in one sweep, and at once. */
  readonly checksPerSweep?: number;
  readonly checksAtOnce?: number;
  /** Hears of what is no refusal. */
  readonly onFault?: (error: unknown) => void;
}

const PERIOD_MS = 1_000;
const GRACE_MS = 10_000;
const CHECKS_PER_SWEEP = 250;
const CHECKS_AT_ONCE = 8;
/** Streams that are asked about before others get their turn: a millisecond or two. */
const SLICE = 250;

interface Stream {
  readonly judge: Judge;
  readonly ending: AbortController;
  /** When memory last told that it may stay. */
  toldMs: number;
}

interface Credential {
  readonly streams: Set<Stream>;
  readonly check: () => Promise<void>;
  /** When the host last vouched for it. */
  vouchedMs: number;
  /** In line, or being asked about. */
  underway: boolean;
  /** While the host is asked: since when, and how to wait no longer. */
  asking?: { readonly sinceMs: number; giveUp(): void } | undefined;
}

export function createOpenStreams(options: OpenStreamsOptions): OpenStreams {
  const { nowMs, periodMs = PERIOD_MS, graceMs = GRACE_MS, onFault = () => {}, every = everyPeriod } = options;
  const { checksPerSweep = CHECKS_PER_SWEEP, checksAtOnce = CHECKS_AT_ONCE } = options;
  const streams = new Set<Stream>();
  /** Those that were asked about least recently come first. */
  const credentials = new Map<string, Credential>();
  const due: Credential[] = [];
  const asking = new Set<Credential>();
  let sweeping = false;

  function judge(stream: Stream): void {
    if (stream.ending.signal.aborted) return;
    try {
      stream.judge.now();
      stream.toldMs = nowMs();
    } catch (error) {
      if (isRefusal(error)) stream.ending.abort(error);
      else {
        onFault(error);
        if (nowMs() - stream.toldMs > graceMs) stream.ending.abort(untold(error));
      }
    }
  }

  async function sweep(): Promise<void> {
    if (sweeping) return;
    sweeping = true;
    try {
      askHost();
      let asked = 0;
      for (const stream of streams) {
        judge(stream);
        if (++asked % SLICE === 0) await turn();
      }
    } finally {
      sweeping = false;
    }
  }

  /** Puts the credentials in line that are next, and ends those that nobody has vouched for in time. */
  function askHost(): void {
    // With very many credentials a round takes several sweeps, which is nobody's fault.
    const roundMs = Math.ceil(credentials.size / checksPerSweep) * periodMs;
    const oldestMs = nowMs() - graceMs - roundMs;
    for (const credential of asking) {
      // It may answer yet, but others wait and have no longer than the grace.
      if (nowMs() - (credential.asking?.sinceMs ?? 0) > graceMs / 2) credential.asking?.giveUp();
    }
    for (const credential of credentials.values()) {
      if (credential.vouchedMs < oldestMs) endAll(credential, untold());
    }
    let room = checksPerSweep - due.length;
    for (const [key, credential] of [...credentials]) {
      if (room-- <= 0) break;
      if (credential.underway) continue;
      credential.underway = true;
      credentials.delete(key);
      credentials.set(key, credential);
      due.push(credential);
    }
    askNext();
  }

  function askNext(): void {
    while (asking.size < checksAtOnce) {
      const credential = due.shift();
      if (credential === undefined) return;
      if (credential.streams.size === 0) credential.underway = false;
      else void ask(credential);
    }
  }

  async function ask(credential: Credential): Promise<void> {
    const sinceMs = nowMs();
    const { promise, resolve: giveUp } = Promise.withResolvers<void>();
    credential.asking = { sinceMs, giveUp };
    asking.add(credential);
    const answer = credential.check().then(
      () => {
        credential.vouchedMs = sinceMs;
      },
      (error) => {
        if (isRefusal(error)) endAll(credential, error);
        else onFault(error);
      },
    );
    await Promise.race([answer, promise]);
    asking.delete(credential);
    credential.asking = undefined;
    credential.underway = false;
    askNext();
  }

  function enterCredential(stream: Stream): () => void {
    const asked = stream.judge.credential;
    if (asked === undefined) return () => {};
    const { key } = asked;
    let credential = credentials.get(key);
    if (credential === undefined) {
      credential = { streams: new Set(), check: () => asked.check(), vouchedMs: nowMs(), underway: false };
      credentials.set(key, credential);
    }
    const own = credential;
    own.streams.add(stream);
    return () => {
      own.streams.delete(stream);
      if (own.streams.size === 0 && credentials.get(key) === own) credentials.delete(key);
    };
  }

  const stop = every(periodMs, () => void sweep());
  return {
    get size() {
      return streams.size;
    },
    enter(asked) {
      const stream: Stream = { judge: asked, ending: new AbortController(), toldMs: nowMs() };
      streams.add(stream);
      const leaveCredential = enterCredential(stream);
      // What changed while the answer was prepared counts at once.
      judge(stream);
      return {
        until: stream.ending.signal,
        mayGoOn() {
          if (stream.ending.signal.aborted) return false;
          try {
            asked.tenant();
            return true;
          } catch (error) {
            stream.ending.abort(isRefusal(error) ? error : untold(error));
            return false;
          }
        },
        leave() {
          streams.delete(stream);
          leaveCredential();
        },
      };
    },
    sweep,
    [Symbol.dispose]: stop,
  };
}

function endAll({ streams }: Credential, error: ApiError): void {
  for (const { ending } of streams) ending.abort(error);
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

function untold(cause?: unknown): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'whether the request may go on cannot be told at the moment; send it again', {
    why: 'not-rechecked',
    cause,
  });
}
