/**
 * Audit events to a webhook, as an API server sends them: an `EventList` at a time, soon or when there are many. What
 * waits is bounded, so that a receiver that is slow or gone costs memory once and requests nothing: the newest events are
 * then dropped, counted and told.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend
 */
export interface AuditWebhookOptions {
  /** @returns the status of the answer @throws {Error} when there is none */
  send(body: string, signal: AbortSignal): Promise<number>;
  /** Events were lost: how many, and why. Told once for each time that some were. */
  onDropped(count: number, why: string): void;
  readonly limits?: Partial<WebhookLimits>;
}

export interface WebhookLimits {
  /** Bytes of events that wait. */
  readonly waitingBytes: number;
  readonly batchEvents: number;
  /** How long the first event of a batch waits for others. */
  readonly batchMs: number;
  /** Tries of one batch, and the pause before the second; it doubles. */
  readonly tries: number;
  readonly pauseMs: number;
  /** How long an answer may take. */
  readonly answerMs: number;
}

const LIMITS: WebhookLimits = {
  waitingBytes: 16 * 1024 * 1024,
  batchEvents: 400,
  batchMs: 1_000,
  tries: 4,
  pauseMs: 500,
  answerMs: 10_000,
};

export interface AuditWebhook {
  /** @param event one event, as JSON */
  write(event: string): void;
  /** Sends what waits, once, and ends. */
  close(): Promise<void>;
}

export function createAuditWebhook({ send, onDropped, ...options }: AuditWebhookOptions): AuditWebhook {
  const limits = { ...LIMITS, ...options.limits };
  let waiting: string[] = [];
  let waitingBytes = 0;
  let overflown = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let isSending = false;
  const ending = new AbortController();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isSending || waiting.length === 0) return;
    isSending = true;
    sending = sendAll().finally(() => {
      isSending = false;
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.batchEvents);
      const fault = await deliver(batch);
      waiting = waiting.slice(batch.length);
      waitingBytes -= bytesOf(batch);
      if (fault !== undefined) onDropped(batch.length, fault);
      if (overflown > 0) onDropped(overflown, 'too many events wait for the webhook');
      overflown = 0;
    }
  }

  /** @returns why the batch could not be delivered */
  async function deliver(batch: readonly string[]): Promise<string | undefined> {
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${batch.join(',')}]}`;
    let fault: string | undefined;
    for (let attempt = 1; attempt <= limits.tries; attempt += 1) {
      fault = await attemptAt(body);
      if (fault === undefined || ending.signal.aborted) return fault;
      if (attempt < limits.tries) await pause(limits.pauseMs * 2 ** (attempt - 1), ending.signal);
    }
    return fault;
  }

  async function attemptAt(body: string): Promise<string | undefined> {
    try {
      const status = await send(body, AbortSignal.timeout(limits.answerMs));
      return status >= 200 && status < 300 ? undefined : `the webhook answered with ${status}`;
    } catch (error) {
      return whyOf(error);
    }
  }

  return {
    write(event) {
      if (ending.signal.aborted || waitingBytes + event.length > limits.waitingBytes) {
        overflown += 1;
        return;
      }
      waiting.push(event);
      waitingBytes += event.length;
      if (waiting.length >= limits.batchEvents) flush();
      else timer ??= setTimeout(flush, limits.batchMs).unref();
    },
    async close() {
      ending.abort();
      await sending;
      flush();
      await sending;
    },
  };
}

/** Down to its cause: what is between is in the words of another part of the program. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : whyOf(error.cause);
}

function bytesOf(events: readonly string[]): number {
  return events.reduce((bytes, event) => bytes + event.length, 0);
}

/** Ends early when the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
