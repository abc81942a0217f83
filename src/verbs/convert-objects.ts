/**
 * Custom objects in another version of their kind, by the webhook of their tenant: what the API server's own converter
 * sends, accepts and says. Many objects go in one review, as large as a webhook may well take.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go at v0.36
 */
import { randomUUID } from 'node:crypto';
import { cloneJson, JsonSyntaxError, parseJson, stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { metadataOf, nameOf, namespaceOf, uidOf } from '../k8s/meta.ts';
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { Call, VerbDeps } from './call.ts';

const GROUP = 'apiextensions.k8s.io';
const REVIEWS = ['v1', 'v1beta1'];
const TIMEOUT_MS = 30_000;
/** Of the objects of one review; one object may be larger. */
const REVIEW_CHARS = 2 * 1024 * 1024;

/** New objects, in their order. @throws {ApiError} ERR_INTERNAL where the webhook does not do it */
export async function convertObjects(
  call: Call,
  deps: VerbDeps,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<JsonObject[]> {
  const converted = objects.map((object) => cloneJson(object));
  for (const batch of batchesOf(converted, apiVersion)) {
    const made = await review(call, deps, batch.objects, apiVersion);
    batch.places.forEach((place, at) => {
      converted[place] = accepted(batch.objects[at] ?? {}, made[at], apiVersion);
    });
  }
  return converted;
}

interface Batch {
  readonly places: number[];
  readonly objects: JsonObject[];
}

/** What is of another version, in portions. */
function batchesOf(objects: readonly JsonObject[], apiVersion: string): Batch[] {
  const batches: Batch[] = [];
  let chars = 0;
  objects.forEach((object, place) => {
    if (text(object, 'apiVersion') === apiVersion) return;
    const size = stringifyJson(object).length;
    const last = batches.at(-1);
    if (last === undefined || chars + size > REVIEW_CHARS) {
      batches.push({ places: [place], objects: [object] });
      chars = size;
      return;
    }
    last.places.push(place);
    last.objects.push(object);
    chars += size;
  });
  return batches;
}

async function review(
  { at, tenant, head }: Call,
  { webhooks }: VerbDeps,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<unknown[]> {
  const what = typeOf(objects[0] ?? {});
  const webhook = webhookOf(at.conversion?.mark ?? '{}');
  const version = strings(webhook, 'conversionReviewVersions').find((one) => REVIEWS.includes(one));
  if (version === undefined) throw failure('no supported conversion review versions');
  const uid = randomUUID();
  const answer = await webhooks.call({
    tenant,
    clientConfig: child(webhook, 'clientConfig'),
    body: {
      kind: 'ConversionReview',
      apiVersion: `${GROUP}/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: [...objects] },
    },
    timeoutMs: TIMEOUT_MS,
    tellsTimeout: false,
    signal: head.signal,
  });
  if ('failure' in answer) throw failure(`conversion webhook for ${what} failed: ${answer.failure}`);
  const problem = problemOf(answer.document, version, uid);
  if (problem !== undefined) throw failure(`conversion webhook for ${what} failed: ${problem}`);
  const { convertedObjects: given } = child(answer.document, 'response');
  const made = Array.isArray(given) ? given : [];
  if (made.length === objects.length) return made;
  throw failure(`conversion webhook for ${what} returned ${made.length} objects, expected ${objects.length}`);
}

/** A mark that cannot be read leads to no webhook. */
function webhookOf(mark: string): JsonObject {
  try {
    const conversion = parseJson(mark);
    return isObject(conversion) ? child(conversion, 'webhook') : {};
  } catch (error) {
    if (error instanceof JsonSyntaxError) return {};
    throw error;
  }
}

/** Why the answer to a review is none. */
function problemOf(document: JsonObject, version: string, uid: string): string | undefined {
  const expected = `${GROUP}/${version}, Kind=ConversionReview`;
  const { response } = document;
  if (version === 'v1' && typeOf(document) !== expected) {
    return `expected webhook response of ${expected}, got ${typeOf(document)}`;
  }
  if (!isObject(response)) return 'no response provided';
  if (version === 'v1' && response['uid'] !== uid) {
    return `expected response.uid=${goQuote(uid)}, got ${goQuote(text(response, 'uid'))}`;
  }
  const result = child(response, 'result');
  if (result['status'] === 'Success') return undefined;
  return text(result, 'message') || `response.result.status was '${text(result, 'status')}', not 'Success'`;
}

const SAME = [
  ['kind', (object: JsonObject) => text(object, 'kind')],
  ['name', nameOf],
  ['namespace', namespaceOf],
  ['UID', uidOf],
] as const;

/** The converted object, with nothing but labels and annotations changed in its metadata. */
function accepted(original: JsonObject, converted: unknown, apiVersion: string): JsonObject {
  const refused = (why: string) => failure(`conversion webhook for ${typeOf(original)} returned invalid ${why}`);
  if (!isObject(converted)) throw refused('converted object at index 0: no object');
  if (text(converted, 'apiVersion') !== apiVersion) {
    const got = text(converted, 'apiVersion');
    throw refused(`object at index 0: invalid groupVersion (expected ${apiVersion}, received ${got})`);
  }
  const [expected, received] = [text(original, 'kind'), text(converted, 'kind')];
  if (expected !== received) {
    throw refused(`object at index 0: invalid kind (expected ${expected}, received ${received})`);
  }
  for (const [field, of] of SAME) {
    if (of(original) !== of(converted)) {
      throw refused(`object: must have the same ${field}: ${of(original)} != ${of(converted)}`);
    }
  }
  const { metadata: given } = converted;
  if (given === undefined) throw refused('metadata: missing metadata in converted object');
  const metadata = { ...metadataOf(original) };
  for (const field of ['labels', 'annotations'] as const) {
    const { [field]: value = null } = metadataOf(converted);
    if (value === null) delete metadata[field];
    else if (!isObject(value)) throw refused(`metadata: invalid metadata.${field} in converted object`);
    else {
      const odd = Object.entries(value).find(([, one]) => typeof one !== 'string');
      if (odd !== undefined) throw refused(`metadata: metadata.${field}[${odd[0]}] must be a string`);
      metadata[field] = value;
    }
  }
  return { ...converted, metadata };
}

function typeOf(object: JsonObject): string {
  return `${text(object, 'apiVersion')}, Kind=${text(object, 'kind')}`;
}

function failure(message: string): ApiError {
  // Without a reason, as the API server tells what is no error of its own.
  return new ApiError('ERR_INTERNAL', message, { as: { status: 500, reason: '' }, why: 'not-converted' });
}
