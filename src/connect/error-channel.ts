/**
 * How an exec or an attach over WebSocket ended, which comes as a message of its own: the exit code of the program, but
 * also why the API server did not reach the node, with the address of the node and the upstream path. That is told in
 * the tenant's terms, as a refusal before the connection stands is. What the program writes goes on unread.
 *
 * @see k8s.io/apiserver pkg/util/proxy/streamtranslator.go at v0.36 (what it writes), k8s.io/apimachinery
 *   pkg/util/remotecommand/constants.go (channels and sub-protocols)
 */
import type { Transform } from 'node:stream';
import { parseJson, stringifyJson } from '../codec/json.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { rewriteMessages } from '../lib/websocket-messages.ts';
import { statusToTenant, textToTenant } from '../translate/status.ts';
import type { ConnectCall } from './call.ts';
import { notReached, speaksOfTheHost } from './refusal.ts';

export type Told = Pick<ConnectCall, 'info' | 'scope'>;

const ERROR_CHANNEL = 3;
/** In the sub-protocols of text, the channel is a digit, and what follows is base64. */
const ERROR_DIGIT = '3'.charCodeAt(0);
const MAX_BYTES = 256 * 1024;
/** The program ran: what is told is its own end. */
const ITS_OWN = 'NonZeroExitCode';
const INTERNAL = 'Internal error occurred: ';

/** @param protocol the sub-protocol that was agreed on */
export function errorChannel(call: Told, protocol: string | string[] | undefined): Transform {
  const isText = String(protocol ?? '').includes('base64');
  const takes = (first: number): boolean => first === (isText ? ERROR_DIGIT : ERROR_CHANNEL);
  return rewriteMessages({
    takes,
    maxBytes: MAX_BYTES,
    rewrite(payload) {
      const said = isText ? Buffer.from(payload.toString('latin1', 1), 'base64') : payload.subarray(1);
      const told = Buffer.from(toldOf(said.toString('utf8'), call));
      return Buffer.concat([payload.subarray(0, 1), isText ? Buffer.from(told.toString('base64')) : told]);
    },
  });
}

/** A Status in newer sub-protocols, in older ones its message. */
function toldOf(said: string, call: Told): string {
  const status = statusIn(said);
  if (status === undefined) {
    return speaksOfTheHost(said) ? unreachable(call) : textToTenant(said, call.scope, call.info);
  }
  if (status['reason'] !== ITS_OWN && speaksOfTheHost(String(status['message']))) {
    const message = unreachable(call);
    Object.assign(status, { message, details: { causes: [{ message: message.slice(INTERNAL.length) }] } });
  }
  return stringifyJson(statusToTenant(status, call.scope, call.info));
}

function statusIn(said: string): JsonObject | undefined {
  if (!said.startsWith('{')) return undefined;
  try {
    const document = parseJson(said);
    return isObject(document) && typeof document['status'] === 'string' ? document : undefined;
  } catch {
    return undefined;
  }
}

function unreachable(call: Told): string {
  return notReached(call, 500).message;
}
