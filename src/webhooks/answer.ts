/**
 * The HTTP answer of a webhook as client-go reads it: a JSON object, or what it says of anything else.
 * @see k8s.io/client-go rest/request.go (transformResponse), k8s.io/apimachinery pkg/api/errors (NewGenericServerResponse) at v0.36
 */
import { parseJson } from '../codec/json.ts';
import { isStatus } from '../k8s/shapes.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import { WebhookFailure } from './webhook-failure.ts';

/** Of an answer's text that goes into an error. */
const MOST_CHARS = 2_048;

const TEXTS: Readonly<Record<number, string>> = {
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  413: 'the server responded with the status code 413 but did not return more information',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** @throws {WebhookFailure} */
export function documentIn(status: number, body: Uint8Array): JsonObject {
  const document = parsed(body);
  if (status < 200 || status > 206) {
    if (document !== undefined && isStatus(document) && document['status'] !== 'Success') {
      throw answered(String(document['message'] || 'unknown'));
    }
    throw answered(wordsOf(status, body));
  }
  if (document === undefined) throw answered("couldn't get version/kind; json parse error: no JSON object");
  return document;
}

function answered(message: string): WebhookFailure {
  return new WebhookFailure(message, { isAnswer: true });
}

function parsed(body: Uint8Array): JsonObject | undefined {
  try {
    const document = parseJson(body);
    return isObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

function wordsOf(status: number, body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8').slice(0, MOST_CHARS).trim();
  if (status === 400 || status === 403 || status === 406 || status === 415) return text || 'unknown';
  const known = TEXTS[status];
  if (known !== undefined) return known;
  if (status >= 500) {
    return `an error on the server (${goQuote(text || 'unknown')}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}
