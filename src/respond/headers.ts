/**
 * The headers of an answer: those that kube-apiserver always sends, and of what a handler asks for only the ones listed
 * here. Upstream's own headers (flow schemas, cookies, locations, server names) never get this far.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { ReplyHeaders } from '../exchange.ts';

const ALLOWED = new Set([
  'cache-control',
  'content-disposition',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'sec-websocket-version',
  'vary',
  'warning',
  'x-content-type-options',
]);
/** Latin-1 without control characters: what a header value may hold. */
const SAFE_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @param id the Audit-ID */
export function answerHeaders(
  id: string,
  contentType: string | undefined,
  own: ReplyHeaders = {},
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'audit-id': id, 'cache-control': 'no-cache, private' };
  if (contentType !== undefined) headers['content-type'] = contentType;
  for (const [name, value] of Object.entries(own)) {
    if (!ALLOWED.has(name)) continue;
    const values = (typeof value === 'string' ? [value] : value).filter((each) => SAFE_VALUE.test(each));
    const [only] = values;
    if (only !== undefined) headers[name] = values.length === 1 ? only : values;
  }
  return headers;
}
