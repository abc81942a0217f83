/** From the verb of a request to what serves it. A verb that the kind does not have is refused before this. */
import { asksForNewest } from '../cache/asked.ts';
import type { Reply } from '../exchange.ts';
import { versionOf } from '../k8s/meta.ts';
import { admit } from './admit.ts';
import type { Call, VerbDeps } from './call.ts';
import { needsConversion, serveConverted } from './conversion.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { listAcross } from './list-across.ts';
import { listMeasured } from './list-measured.ts';
import { checkListOptions } from './list-options.ts';
import { metricValues } from './metric-values.ts';
import { createNamespace } from './namespaces.ts';
import { patch } from './patch.ts';
import { refuseOtherShape } from './representation.ts';
import { isNamespaces } from './route.ts';
import { listKept } from './shared-read.ts';
import { notWritable, onItsSide } from './sides.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import { watchAcross } from './watch-across.ts';
import { writeConverted } from './write-converted.ts';
import { checkWriteOptions } from './write-options.ts';

const WRITES = { update, patch, delete: remove, deletecollection: deleteCollection } as const;

export async function serve(given: Call, deps: VerbDeps): Promise<Reply> {
  if (given.at.kind.byMetric !== undefined) return await metricValues(given, deps);
  const call = onItsSide(given);
  const { verb } = call.info;
  // Of what is not there it is not asked in which shape.
  if (verb !== 'get') refuseOtherShape(call);
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') checkListOptions(call);
  checkWriteOptions(call);
  const reply = await serveVerb(call, deps);
  if (verb === 'get' && 'status' in reply && reply.status < 300) refuseOtherShape(call);
  return reply;
}

async function serveVerb(call: Call, deps: VerbDeps): Promise<Reply> {
  const { verb, namespace } = call.info;
  const isRead = verb === 'get' || verb === 'list' || verb === 'watch';
  if (isRead && needsConversion(call)) return await serveConverted(call, deps, serveVerb);
  const isAcross = call.at.kind.namespaced && namespace === '';
  switch (verb) {
    case 'get':
      return await get(call, deps);
    case 'list': {
      if (isAcross && call.at.kind.measured) return await listMeasured(call, deps);
      const kept = await listKept(call, deps);
      if (kept !== undefined) return kept;
      const learned = asksForNewest(call.info.query) ? deps.sessions.listing(call) : () => {};
      const reply = await (isAcross ? listAcross : list)(call, deps);
      if (reply.kind === 'object' && reply.status === 200) learned(versionOf(reply.object));
      return reply;
    }
    case 'watch':
      return await (isAcross ? watchAcross : watch)(call, deps);
    default: {
      if (call.at.class === 'published') throw notWritable(call, deps);
      return await admit(call, deps, write);
    }
  }
}

/** A write as it is, without what the tenant's own admission says of it. */
async function write(call: Call, deps: VerbDeps): Promise<Reply> {
  return needsConversion(call) ? await writeConverted(call, deps, writeAs) : await writeAs(call, deps);
}

/** A write in the version that its call names. */
async function writeAs(call: Call, deps: VerbDeps): Promise<Reply> {
  const { verb } = call.info;
  if (verb === 'create') return await (isNamespaces(call) ? createNamespace : create)(call, deps);
  if (verb === 'get' || verb === 'list' || verb === 'watch' || verb === '') throw new Error(`${verb} is no write`);
  return await WRITES[verb](call, deps);
}
