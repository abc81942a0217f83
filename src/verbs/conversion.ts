/**
 * Custom resources whose tenant converts them by webhook, asked for in another version than the one that is stored. The
 * host would only write another version on them. So they are read in the version in which they are stored, converted here,
 * and then cut or printed as the client asked. Writes are in `write-converted.ts`.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
import { ApiError } from '../errors.ts';
import type { Reply, SharedEvent } from '../exchange.ts';
import { metadataOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import { isStatus } from '../k8s/shapes.ts';
import { apiVersionOf, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { bodyTypeOf } from './body-type.ts';
import type { Call, VerbDeps } from './call.ts';
import { convertObjects } from './convert-objects.ts';
import { tableOf } from './converted-table.ts';
import { cutList, cutObject, cutRows } from './representation.ts';

/** True for a request whose objects are stored in another version. */
export function needsConversion({ at, info }: Pick<Call, 'at' | 'info'>): boolean {
  if (at.conversion === undefined || at.conversion.storedAs === at.version) return false;
  // A body of a kind of its own is the same in all versions.
  return !bodyTypeOf({ at, info }).own;
}

/**
 * The request in the version that is stored, for whole objects.
 * @throws {ApiError} ERR_INTERNAL where that version is not served: the host then shows nobody what is stored
 */
export function asStored(call: Call): Call {
  const { info, at, tenant, scope } = call;
  const version = at.conversion?.storedAs ?? '';
  const stored = scope.kinds.byResource(tenant, info.group, version, info.resource);
  if (stored === undefined) {
    throw new ApiError(
      'ERR_INTERNAL',
      `objects of ${info.resource}.${info.group} are stored as ${version}, which is not served: serve it to have them converted`,
      { why: 'not-converted' },
    );
  }
  const accept = { media: 'json', as: undefined } as const;
  return { ...call, at: stored, accept, info: { ...info, version } };
}

/** @param serve serves a get, list, watch or deletion of the version that is stored */
export async function serveConverted(
  call: Call,
  deps: VerbDeps,
  serve: (call: Call, deps: VerbDeps) => Promise<Reply>,
): Promise<Reply> {
  return await asAsked(call, deps, await serve(asStored(call), deps));
}

/** A reply about stored objects, in the version and the shape that the client asked for. */
export async function asAsked(call: Call, deps: VerbDeps, reply: Reply): Promise<Reply> {
  switch (reply.kind) {
    case 'watch':
      return { ...reply, events: convertEvents(call, deps, reply.events) };
    case 'printed':
    case 'object': {
      const object = reply.kind === 'object' ? reply.object : reply.object();
      if (reply.status >= 300 || isStatus(object)) return reply;
      const { headers } = reply;
      const shown = await convertDocument(call, deps, object);
      return { kind: 'object', status: reply.status, object: shown, ...(headers !== undefined && { headers }) };
    }
    default:
      return reply;
  }
}

async function convertDocument(call: Call, deps: VerbDeps, document: JsonObject): Promise<JsonObject> {
  const { group, version } = call.info;
  const apiVersion = apiVersionOf(group, version);
  const isList = Array.isArray(document['items']);
  const given = isList ? objects(document, 'items') : [document];
  const converted = await convertObjects(call, deps, given, apiVersion);
  if (call.accept.as?.kind === 'Table') return cutRows(call, tableOf(call, document, converted));
  if (isList) {
    const { continue: token, ...metadata } = metadataOf(document);
    // A list of metadata leaves out what a list of objects says is empty.
    const isWhole = call.accept.as === undefined;
    const kept = token === undefined || (token === '' && !isWhole) ? metadata : { ...metadata, continue: token };
    return cutList(call, { ...document, apiVersion, metadata: kept, items: converted });
  }
  return cutObject(call, converted[0] ?? document);
}

async function* convertEvents(
  call: Call,
  deps: VerbDeps,
  events: AsyncIterable<WatchEvent | SharedEvent>,
): AsyncGenerator<WatchEvent> {
  const { group, version } = call.info;
  for await (const { type, object } of events) {
    if (type === 'ERROR') yield { type, object };
    else if (type === 'BOOKMARK') yield { type, object: { ...object, apiVersion: apiVersionOf(group, version) } };
    else {
      try {
        yield { type, object: await convertDocument(call, deps, object) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        yield { type: 'ERROR', object: statusOf(error) };
        return;
      }
    }
  }
}

function statusOf({ message, reason, status: code }: ApiError): JsonObject {
  const why = reason === '' ? {} : { reason };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, ...why, code };
}
