/**
 * Which namespaces are ready: their guard has been seen to work. Proofs are of this process and of one uid, so a
 * namespace that was deleted and made again starts without one.
 */
export interface NamespaceProofs {
  has(namespace: string, uid: string): boolean;
  set(namespace: string, uid: string): void;
  forget(namespace: string): void;
  /** Resolves when this namespace has been proven, or at once when it is. */
  whenProven(namespace: string, uid: string, signal: AbortSignal): Promise<void>;
}

export function createNamespaceProofs(): NamespaceProofs {
  const proven = new Map<string, string>();
  const waiting = new Map<string, Set<(uid: string) => void>>();

  return {
    has: (namespace, uid) => proven.get(namespace) === uid,
    set(namespace, uid) {
      proven.set(namespace, uid);
      for (const tell of waiting.get(namespace) ?? []) tell(uid);
    },
    forget: (namespace) => proven.delete(namespace),
    whenProven(namespace, uid, signal) {
      if (proven.get(namespace) === uid) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const tellers = waiting.get(namespace) ?? new Set();
        waiting.set(namespace, tellers);
        const stop = () => {
          tellers.delete(tell);
          if (tellers.size === 0) waiting.delete(namespace);
          signal.removeEventListener('abort', giveUp);
        };
        function tell(seen: string): void {
          if (seen !== uid) return;
          stop();
          resolve();
        }
        function giveUp(): void {
          stop();
          reject(signal.reason);
        }
        tellers.add(tell);
        signal.addEventListener('abort', giveUp);
        if (signal.aborted) giveUp();
      });
    },
  };
}
