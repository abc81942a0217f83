/**
 * What is made of a credential that others renew: the kubelet puts a new certificate into its file before the old one
 * ends. The file is read again and again, and what was made of the old one is replaced.
 */
import type { Upstream } from '../ports.ts';

const EVERY_MS = 60_000;

/** Where a server is and as whom it is reached, as far as it tells one from another. */
export interface Connection {
  readonly server: string;
  readonly caPem: string | undefined;
  readonly credentials: { readonly tls?: { readonly cert: string; readonly key: string } };
}

export interface Renewed<T> extends Disposable {
  /** As it is now. */
  readonly current: T;
}

/** @param end of one that was replaced, and of the last */
export function renewed<C extends Connection, T>(
  read: () => C,
  make: (connection: C) => T,
  end: (made: T) => void,
  onError: (error: unknown) => void,
): Renewed<T> {
  let connection = read();
  let current = make(connection);
  const timer = setInterval(() => {
    try {
      const next = read();
      if (textOf(next) === textOf(connection)) return;
      const old = current;
      current = make(next);
      connection = next;
      end(old);
    } catch (error) {
      // The old one goes on; a file may be seen half written.
      onError(error);
    }
  }, EVERY_MS);
  timer.unref();
  return {
    get current() {
      return current;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      end(current);
    },
  };
}

function textOf({ server, caPem, credentials }: Connection): string {
  return JSON.stringify([server, caPem, credentials.tls]);
}

/** Always the one that there is now. */
export function currentUpstream(current: () => Upstream): Upstream {
  return { request: (one) => current().request(one), stream: (one) => current().stream(one) };
}
