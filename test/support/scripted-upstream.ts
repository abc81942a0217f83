/**
 * A host that answers as a test says, for unit tests of what talks to it: every request is kept, none leaves the process.
 * It says nothing of what kube-apiserver does; that is for the tests against the real one.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { JsonObject, WatchEvent } from '../../src/k8s/types.ts';
import type { Upstream, UpstreamRequest, UpstreamResponse, UpstreamStream } from '../../src/ports.ts';

export interface Scripted {
  readonly status: number;
  readonly body: JsonObject | Feed;
  readonly headers?: UpstreamResponse['headers'];
}

export class ScriptedUpstream implements Upstream {
  readonly requests: UpstreamRequest[] = [];
  readonly #answer: (request: UpstreamRequest) => Scripted | Promise<Scripted>;

  /** @param answer called for every request, in their order; throws for one that the test does not expect */
  constructor(answer: (request: UpstreamRequest) => Scripted | Promise<Scripted>) {
    this.#answer = answer;
  }

  async request(request: UpstreamRequest): Promise<UpstreamResponse> {
    this.requests.push(request);
    const { status, body, headers = {} } = await this.#answer(request);
    if (body instanceof Feed) throw new Error(`a stream was scripted where ${textOf(request)} is no watch`);
    return { status, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  async stream(request: UpstreamRequest): Promise<UpstreamStream> {
    this.requests.push(request);
    const { status, body, headers = {} } = await this.#answer(request);
    if (body instanceof Feed && request.signal != null) body.endWith(request.signal);
    const chunks = body instanceof Feed ? body : once(Buffer.from(JSON.stringify(body)));
    return { status, headers, chunks };
  }

  /** `GET /api/v1/pods?limit=1`, each request a line. */
  texts(): string[] {
    return this.requests.map(textOf);
  }
}

/** The bytes of one watch, sent event by event. */
export class Feed implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #wake: () => void = () => {};
  #ended = false;
  #fault: unknown;
  #isWaiting = false;
  /** True once its reader has let go of it. */
  closed = false;

  send(...events: WatchEvent[]): this {
    for (const event of events) this.#chunks.push(Buffer.from(`${JSON.stringify(event)}\n`));
    this.#wake();
    return this;
  }

  end(): this {
    this.#ended = true;
    this.#wake();
    return this;
  }

  /** Breaks. */
  fail(fault: unknown): this {
    this.#fault = fault;
    return this.end();
  }

  /** Breaks where the request is ended. */
  endWith(signal: AbortSignal): void {
    const stop = (): void => void this.fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  /** Resolves when its reader has dealt with all that was sent, and waits for more. */
  async idle(): Promise<void> {
    while (this.#chunks.length > 0 || !this.#isWaiting) await turn();
  }

  async #more(): Promise<void> {
    this.#isWaiting = true;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isWaiting = false;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#fault !== undefined) throw this.#fault;
        else if (this.#ended) return;
        else await this.#more();
      }
    } finally {
      this.closed = true;
    }
  }
}

/** Method, path and query as a test compares them. */
export function textOf({ method, path, query = [] }: UpstreamRequest): string {
  const text = query.map(([name, value]) => `${name}=${value}`).join('&');
  return `${method} ${path}${text === '' ? '' : `?${text}`}`;
}

/** The document that a request carries. */
export function bodyOf(request: UpstreamRequest | undefined): JsonObject {
  return JSON.parse(String(request?.body ?? 'null')) as JsonObject;
}

export function queryOf(request: UpstreamRequest | undefined): Record<string, string> {
  return Object.fromEntries(request?.query ?? []);
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
