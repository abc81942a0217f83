/**
 * Who may ask: only the host's API server knows the token, from a policy that the host's operator wrote. Whoever else
 * reaches the proxy's port (a tenant, a pod) could learn by asking what other tenants' webhooks answer.
 *
 * Tokens are read from the host when one comes that is not known, and now and then: one that was taken away counts no
 * more after half a minute. They are compared in a time that tells nothing of them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export interface RelayKeys {
  /** Is this word made of one of the tokens, for that purpose? It tells nothing of the token. @throws when the host cannot be asked */
  opens(door: string, purpose: Purpose): Promise<boolean>;
  /** Is this one of the tokens? @throws when the host cannot be asked */
  holds(token: string): Promise<boolean>;
}

/** What the host asks for: a tenant's own admission, or what policies of the host make of an object. */
export type Purpose = 'relay' | 'mutations';

export interface RelayKeysOptions {
  /** The tokens as they are on the host; none where nobody has set up the relay. */
  readonly read: () => Promise<readonly string[]>;
  readonly nowMs: () => number;
}

/** How long what was read counts. */
const KEPT_MS = 30_000;
/** However many are tried, the host is asked once in this time. */
const PAUSE_MS = 1_000;
/** Shorter ones are none: an empty entry of the Secret must open nothing. */
const MIN_LENGTH = 32;

/** The part of the URL where the host asks. What opens one door opens no other. */
export function doorOf(token: string, purpose: Purpose): string {
  return createHash('sha256').update(`${purpose} ${token}`).digest('hex');
}

export function createRelayKeys({ read, nowMs }: RelayKeysOptions): RelayKeys {
  let tokens: readonly string[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  function reread(): Promise<void> {
    reading ??= read()
      .then((found) => {
        tokens = found.filter(({ length }) => length >= MIN_LENGTH);
        readAtMs = nowMs();
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  /** All of them are compared, so that the time says nothing of which one it was. */
  function isOne(given: string, of: (token: string) => string): boolean {
    return tokens.map((token) => same(of(token), given)).includes(true);
  }

  async function isKnown(given: string, of: (token: string) => string): Promise<boolean> {
    const ageMs = nowMs() - readAtMs;
    if (ageMs < KEPT_MS && isOne(given, of)) return true;
    // Perhaps it was only just written.
    if (ageMs < PAUSE_MS) return false;
    await reread();
    return isOne(given, of);
  }

  return {
    opens: (door, purpose) => isKnown(door, (token) => doorOf(token, purpose)),
    holds: (token) => isKnown(token, (one) => one),
  };
}

function same(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
