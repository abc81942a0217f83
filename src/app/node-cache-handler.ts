/** The path of a request through the node cache: from memory, or on to the API server as the caller. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors.ts';
import type { Accept, Reply, RequestHead, RequestInfo } from '../exchange.ts';
import type { Handler, Incoming } from '../listen/options.ts';
import type { FromMemory } from '../nodecache/answer.ts';
import type { Caller } from '../nodecache/caller.ts';
import type { Identify } from '../nodecache/callers.ts';
import type { ClusterFacts } from '../nodecache/cluster.ts';
import type { Forwarder } from '../nodecache/forward.ts';
import { logger } from '../observe/log.ts';
import { negotiate, negotiateError, offerOf } from '../requestinfo/accept.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { Sink } from '../respond/sink.ts';
import { type Answering, writeError, writeReply } from '../respond/write.ts';

export interface NodeCacheHandlerOptions {
  /** Of a hub: whether node caches are to come to it. Undefined passes such questions on. */
  readonly isReady?: (() => boolean) | undefined;
  readonly fromMemory: FromMemory;
  readonly identify: Identify;
  /** Passes on what comes without a client certificate. */
  readonly passing: () => Pick<Forwarder, 'forward'>;
  /** Passes on what comes with the node's own; undefined where the node's credential is not known here. */
  readonly passingAsNode: () => Pick<Forwarder, 'forward'> | undefined;
  /** Whose the node's credential is; undefined while that is not known. */
  readonly nodeUser: () => ClusterFacts['node'];
}

export function createNodeCacheHandler(options: NodeCacheHandlerOptions): Handler {
  return async (incoming) => {
    const { head, response } = incoming;
    const sink = response as Sink;
    let info: RequestInfo | undefined;
    let accept: Accept | undefined;
    try {
      info = parseRequestInfo(head.method, head.target);
      if (incoming.connection !== undefined) throw noUpgrade();
      if (options.isReady !== undefined && head.target === '/readyz') {
        await writeReply(sink, readiness(options.isReady()), answeringOf(incoming, info, accept));
        return;
      }
      accept = acceptOf(head, info);
      const asking = info.isResource && accept !== undefined ? { head, info, accept } : undefined;
      const reply = asking && (await options.fromMemory(asking));
      if (reply !== undefined) {
        // The API server has just allowed it. Pods have addresses of their own.
        incoming.belongsTo(incoming.remoteAddress);
        await writeReply(sink, reply, answeringOf(incoming, info, accept));
        return;
      }
      const forwarder = await forwarderFor(head, options);
      await forwarder.forward(incoming.body as IncomingMessage, response as ServerResponse);
    } catch (error) {
      await writeError(sink, error, answeringOf(incoming, info, accept));
    }
  };
}

function readiness(isReady: boolean): Reply {
  const bytes = Buffer.from(isReady ? 'ok' : 'not ready');
  return { kind: 'bytes', status: isReady ? 200 : 503, contentType: 'text/plain; charset=utf-8', bytes };
}

async function forwarderFor(
  head: RequestHead,
  { identify, passing, passingAsNode, nodeUser }: NodeCacheHandlerOptions,
): Promise<Pick<Forwarder, 'forward'>> {
  // A token is judged where it goes, and so is who shows nothing.
  if (head.peerCertificate === undefined) return passing();
  const caller = await identify(head);
  const forwarder = passingAsNode();
  if (caller === undefined || forwarder === undefined || !isNode(caller, nodeUser())) {
    throw new ApiError(
      'ERR_UNAUTHORIZED',
      'Unauthorized: the node cache passes on no client certificate but the one of its node, whose key it has; use a token, or connect to the API server',
      { why: 'certificate-not-passed' },
    );
  }
  return forwarder;
}

/** The very same user: the node's credential then gives the caller nothing that its own does not. */
function isNode({ username, groups }: Caller, node: ClusterFacts['node']): boolean {
  if (node === undefined || node.username !== username) return false;
  return JSON.stringify([...new Set(groups)].sort()) === JSON.stringify([...new Set(node.groups)].sort());
}

/** Undefined where the API server has to say that it has no such form. */
function acceptOf(head: RequestHead, info: RequestInfo): Accept | undefined {
  try {
    return negotiate(head.headers.get('accept'), offerOf(info), info.query, head.headers.get('user-agent'));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function answeringOf(
  { head, draining }: Incoming,
  info: RequestInfo | undefined,
  accept: Accept | undefined,
): Answering {
  const header = head.headers.get('accept');
  const acceptError = negotiateError(header, info?.query, head.headers.get('user-agent'));
  return {
    id: head.id,
    method: head.method,
    accept: accept ?? acceptError,
    acceptError,
    acceptEncoding: head.headers.get('accept-encoding'),
    signal: head.signal,
    until: draining,
    log: logger('respond'),
  };
}

function noUpgrade(): ApiError {
  return new ApiError(
    'ERR_BAD_REQUEST',
    'the node cache does not pass on connections to pods (exec, attach, port-forward); connect to the API server for them',
    { why: 'upgrade' },
  );
}
