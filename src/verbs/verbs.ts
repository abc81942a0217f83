/** From the verb of a request to what serves it. A verb that the kind does not have is refused before this. */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import type { Call, Host } from './call.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { listAcross } from './list-across.ts';
import * as namespaces from './namespaces.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import { watchAcross } from './watch-across.ts';

export async function serve(call: Call, host: Host): Promise<Reply> {
  const { verb, group, resource, namespace } = call.info;
  const write = {
    create,
    update,
    patch,
    delete: remove,
    deletecollection: deleteCollection,
    ...namespaceWrites(group, resource),
  };
  switch (verb) {
    case 'get':
      return await get(call, host);
    case 'list':
      return await (call.at.kind.namespaced && namespace === '' ? listAcross : list)(call, host);
    case 'watch':
      return await (call.at.kind.namespaced && namespace === '' ? watchAcross : watch)(call, host);
    default: {
      if (call.at.class === 'published')
        throw new ApiError('ERR_FORBIDDEN', `${resource} belong to the cluster's operator and are read-only`);
      return await write[verb](call, host);
    }
  }
}

/** Namespaces are written by the provisioner, since with each goes its guard. */
function namespaceWrites(group: string, resource: string): Partial<typeof namespaces> {
  return group === '' && resource === 'namespaces' ? namespaces : {};
}
