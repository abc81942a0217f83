/**
 * How much of the process one tenant may use to have its bodies read. A body is small when it is sent, and may be a
 * million objects when it is read; what comes after (names put in, encoding, sending) costs about twice as much again. So
 * the time is taken of the reading, and three times that is charged.
 */
import { ApiError } from '../errors.ts';
import { CpuShare, type CpuShareOptions } from '../lib/cpu-share.ts';

/** Smaller ones cost about what any request costs. */
const FREE_BYTES = 16 * 1024;
const CHARGED = 3;

/** A quarter of one core is for all that a body costs, with room for who sends many large ones now and then. */
const SHARE: CpuShareOptions = {
  burstMs: 2_000 / CHARGED,
  msPerSecond: 250 / CHARGED,
  late: (waitMs, cause) =>
    new ApiError(
      'ERR_TOO_MANY_REQUESTS',
      'too many requests, please try again later: the bodies of earlier ones took too much to read',
      { details: { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) }, why: 'body-share', cause },
    ),
};

export interface BodyShare {
  /** @param tenant its uid. @throws {ApiError} ERR_TOO_MANY_REQUESTS when the request's time is up before its turn */
  read<T>(bytes: Uint8Array, tenant: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createBodyShare(options: Partial<CpuShareOptions> = {}): BodyShare {
  const share = new CpuShare({ ...SHARE, ...options });
  return {
    async read(bytes, tenant, signal, work) {
      return bytes.length <= FREE_BYTES ? await work() : await share.run(tenant, signal, work);
    },
  };
}
