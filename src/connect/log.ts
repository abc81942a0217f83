/** The log of a container: text, as it was written, and as it comes where it is followed. */
import type { Reply } from '../exchange.ts';
import type { ConnectDeps, Routed } from './call.ts';
import { connectParameters } from './parameters.ts';
import { refusalOf } from './refusal.ts';

export async function log(call: Routed, deps: ConnectDeps): Promise<Reply> {
  const { as: identity, path, head, info } = call;
  const answer = await deps.upstream.pass({
    identity,
    method: 'GET',
    path,
    rawQuery: connectParameters(info),
    headers: [['accept', '*/*']],
    signal: head.signal,
  });
  if (answer.socket !== undefined) throw new Error('a log became a connection');
  if (answer.status !== 200) return await refusalOf(call, answer);
  return { kind: 'stream', status: 200, headers: { 'content-type': 'text/plain' }, chunks: answer.chunks };
}
