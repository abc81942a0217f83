/**
 * Strategic merge patch of a virtual kind: read, merge by the kind's own schema, write with the revision that was read,
 * and again when somebody else was faster. The tenant sees one patch.
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, versionOf } from '../k8s/meta.ts';
import { isObject } from '../k8s/types.ts';
import type { Call, Host } from './call.ts';
import { get } from './get.ts';
import { update } from './update.ts';

const TRIES = 5;

export async function patchVirtual(call: Call, host: Host): Promise<Reply> {
  const document = call.body?.document;
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'a strategic merge patch must be an object');
  const plain = {
    ...call,
    accept: { ...call.accept, as: undefined },
    info: { ...call.info, query: new Map<string, string>() },
  };
  for (let attempt = 1; ; attempt += 1) {
    const current = await get(plain, host);
    if (current.kind !== 'object' || current.status !== 200) return current;
    const merged = host.mergeStrategic(call.at, current.object, document);
    const asked = isObject(document['metadata']) ? document['metadata']['resourceVersion'] : undefined;
    if (asked === undefined) metadataOf(merged)['resourceVersion'] = versionOf(current.object);
    const written = await update({ ...call, body: { contentType: 'application/json', document: merged } }, host);
    const conflict = written.kind === 'object' && written.status === 409;
    if (!conflict || asked !== undefined || attempt === TRIES) return written;
  }
}
