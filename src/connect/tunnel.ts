/**
 * exec, attach and port-forward: the connection becomes a WebSocket or SPDY, whichever the client speaks, and so does
 * the one upstream. There is nothing to splice before the API server has agreed.
 */
import { ApiError } from '../errors.ts';
import type { Reply, ReplyHeaders } from '../exchange.ts';
import type { UpstreamResponse } from '../ports.ts';
import type { ConnectDeps, Routed } from './call.ts';
import { errorChannel } from './error-channel.ts';
import { connectParameters } from './parameters.ts';
import { refusalOf } from './refusal.ts';

/** Of the handshake, what the client is told. */
const SHAKEN = [
  'connection',
  'upgrade',
  'sec-websocket-accept',
  'sec-websocket-protocol',
  'x-stream-protocol-version',
  'x-accepted-stream-protocol-versions',
];

export async function tunnel(call: Routed, deps: ConnectDeps): Promise<Reply> {
  const { as: identity, path, head, info } = call;
  if (head.upgrade === undefined) {
    // In kube-apiserver's words.
    throw new ApiError('ERR_BAD_REQUEST', 'Upgrade request required', { why: 'upgrade' });
  }
  const { protocol, headers } = head.upgrade;
  const answer = await deps.upstream.pass({
    identity,
    method: head.method === 'POST' ? 'POST' : 'GET',
    path,
    rawQuery: connectParameters(info),
    headers,
    upgrade: protocol,
    signal: head.signal,
  });
  if (answer.socket === undefined) return await refusalOf(call, answer);
  const shaken = { kind: 'tunnel', headers: pick(answer.headers, SHAKEN), upstream: answer.socket } as const;
  const hasErrors = protocol === 'websocket' && info.subresource !== 'portforward';
  return hasErrors ? { ...shaken, said: errorChannel(call, answer.headers['sec-websocket-protocol']) } : shaken;
}

function pick(headers: UpstreamResponse['headers'], names: readonly string[]): ReplyHeaders {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
