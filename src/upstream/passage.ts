/**
 * Requests that go on as they come, to a pod: with a body that is not held, answers that last as long as they like, and
 * connections that become something else. The API server does the upgrade or answers as to any other request; only after
 * its 101 is there a connection to hand out.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { UpstreamPassage, UpstreamPassed } from '../ports.ts';

/** Of what is answered instead of an upgrade: it is a Status. */
const REFUSAL_BYTES = 1024 * 1024;

/** @param headers complete: name, value, name, value */
export async function pass(
  agent: Agent,
  origin: string,
  passage: UpstreamPassage,
  headers: string[],
): Promise<UpstreamPassed> {
  const { method, rawQuery, signal, body, upgrade } = passage;
  const path = rawQuery === '' ? passage.path : `${passage.path}?${rawQuery}`;
  const request = { origin, path, method, headers } as const;
  if (upgrade !== undefined) return await upgradeConnection(agent, { ...request, upgrade, body: null }, signal);
  const answer = await agent.request({
    ...request,
    body: body === undefined ? null : Readable.from(body),
    signal: signal ?? null,
    // A log may be silent for a day. Whoever follows it is judged again while it does.
    bodyTimeout: 0,
  });
  return { status: answer.statusCode, headers: answer.headers, chunks: answer.body };
}

function upgradeConnection(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<UpstreamPassed> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamPassed>();
  const refusal: Buffer[] = [];
  let answer: { status: number; headers: IncomingHttpHeaders } | undefined;
  let abort = (): void => {};
  const stop = (): void => abort();
  agent.dispatch(request, {
    onRequestStart(controller) {
      abort = () => controller.abort(new DOMException('the client is gone', 'AbortError'));
      if (signal?.aborted) abort();
    },
    onRequestUpgrade(controller, status, headers, socket: Duplex) {
      if (status === 101) resolve({ status, headers, socket });
      else controller.abort(new Error(`an upgrade was answered with ${status}`));
    },
    onResponseStart(_controller, status, headers) {
      answer = { status, headers };
    },
    onResponseData(controller, chunk) {
      refusal.push(chunk);
      const bytes = refusal.reduce((sum, { length }) => sum + length, 0);
      if (bytes > REFUSAL_BYTES) controller.abort(new Error('the refusal of an upgrade is too large'));
    },
    onResponseEnd() {
      if (answer === undefined) reject(new Error('an upgrade was not answered'));
      else resolve({ ...answer, chunks: Readable.from(refusal) });
    },
    onResponseError: (_controller, error) => reject(error),
  });
  signal?.addEventListener('abort', stop, { once: true });
  return promise.finally(() => signal?.removeEventListener('abort', stop));
}
