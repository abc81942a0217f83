/** What all questions of the host's API server have in common: how they are answered, and how they are refused. */
import { ApiError } from '../errors.ts';
import type { Written } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Incoming } from '../listen/options.ts';
import { logger } from '../observe/log.ts';
import type { Sink } from '../respond/sink.ts';
import { type Answering, writeError, writeReply } from '../respond/write.ts';

/** Whose the connections are on which the host asks: no uid of a tenant is like it. */
export const HOST = 'the API server of the host';
/** An object of the largest size, and what is around it. */
export const MAX_REVIEW_BYTES = 8 * 1024 * 1024;

/** Writes what `serve` answers, or why it does not. @param why of an answer, for the audit */
export async function answerHost(
  incoming: Incoming,
  serve: () => Promise<JsonObject>,
  why: () => string | undefined = () => undefined,
): Promise<Written> {
  const { head, response } = incoming;
  try {
    const reply = { kind: 'object', status: 200, object: await serve() } as const;
    const written = await writeReply(response as Sink, reply, answeringOf(incoming));
    const said = why();
    return said === undefined ? written : { ...written, why: said };
  } catch (error) {
    const written = await writeError(response as Sink, error, answeringOf(incoming));
    if (error instanceof ApiError) return { ...written, why: error.why };
    logger('relay').error({ cause: error, id: head.id }, 'a review failed');
    return { ...written, why: 'fault' };
  }
}

function answeringOf({ head, draining }: Incoming): Answering {
  const accept = { media: 'json', as: undefined } as const;
  return {
    id: head.id,
    method: head.method,
    accept,
    acceptError: accept,
    acceptEncoding: undefined,
    signal: head.signal,
    until: draining,
    log: logger('respond'),
  };
}

/** In the words for whoever shows no credential at all. */
export function unauthorized(): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', 'Unauthorized', { why: 'no-relay' });
}
