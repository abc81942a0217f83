/**
 * A set of public keys that is fetched when it is first needed, and again when a token names a key that is not in it: at
 * most once in a while, and once for however many ask at the same time, so that tokens with made-up key ids cost whoever
 * has the keys nothing. Keys that were fetched stay good while they cannot be fetched anew.
 */
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import type { JsonObject } from '../k8s/types.ts';

/** Between two fetches. */
const COOL_DOWN_MS = 10_000;
/** After one that failed. */
const RETRY_MS = 2_000;

export interface KeySetOptions<About> {
  /** Gets the keys and what else the source says. @throws when it does not answer */
  fetch(): Promise<{ keys: JsonObject; about: About }>;
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Keys older than this are fetched anew: a key that was taken out stops counting then. Left out: never. */
  maxAgeMs?: number;
}

export interface KeySet<About> {
  about(): Promise<About>;
  /** For jose. @throws {errors.JWKSNoMatchingKey} and what `fetch` throws while there are no keys at all */
  key(header: JWSHeaderParameters, input: FlattenedJWSInput): Promise<CryptoKey | Uint8Array>;
}

interface Fetched<About> {
  readonly about: About;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly atMs: number;
}

export function createKeySet<About>({ fetch, nowMs, maxAgeMs }: KeySetOptions<About>): KeySet<About> {
  let fetched: Fetched<About> | undefined;
  let fetching: Promise<Fetched<About>> | undefined;
  let failed: { error: unknown; atMs: number } | undefined;

  function refresh(): Promise<Fetched<About>> {
    if (failed !== undefined && nowMs() - failed.atMs < RETRY_MS) return Promise.reject(failed.error);
    fetching ??= fetch()
      .then(
        ({ keys, about }) => {
          const find = createLocalJWKSet(keys as unknown as JSONWebKeySet);
          fetched = { about, find, atMs: nowMs() };
          failed = undefined;
          return fetched;
        },
        (error) => {
          failed = { error, atMs: nowMs() };
          throw error;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  async function current(): Promise<Fetched<About>> {
    if (fetched === undefined) return await refresh();
    const isOld = maxAgeMs !== undefined && nowMs() - fetched.atMs > maxAgeMs;
    const held = fetched;
    return isOld ? await refresh().catch(() => held) : held;
  }

  return {
    about: async () => (await current()).about,
    async key(header, input) {
      const held = await current();
      try {
        return await held.find(header, input);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || nowMs() - held.atMs < COOL_DOWN_MS) throw error;
        const anew = await refresh().catch(() => {
          throw error;
        });
        return await anew.find(header, input);
      }
    },
  };
}
