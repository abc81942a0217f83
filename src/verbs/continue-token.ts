/**
 * Continue tokens: sealed, and bound to the tenant's uid, the resource and the namespace. Selectors are not bound, as
 * the API server's tokens do not bind them either.
 */
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import type { Pairs } from './query.ts';

/** `one`: a page of one collection. `across`: a place in a walk over namespaces. */
export type Walk = 'one' | 'across';

export function sealContinue(call: Call, deps: VerbDeps, walk: Walk, position: JsonObject): Promise<string> {
  return deps.sealer.seal({ ...position, for: binding(call, walk) });
}

/**
 * The position that the request's token holds, or undefined when it has none.
 * @throws {ApiError} ERR_BAD_REQUEST for a token that is not ours or was given for something else
 */
export async function openContinue(call: Call, deps: VerbDeps, walk: Walk): Promise<JsonObject | undefined> {
  const { query } = call.info;
  const token = query.get('continue');
  if (token === undefined || token === '') return undefined;
  const position = await deps.sealer.open(token);
  if (position?.['for'] !== binding(call, walk)) {
    throw new ApiError(
      'ERR_BAD_REQUEST',
      'invalid continue token: continue key is not valid: start again with a list without one',
    );
  }
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && version !== '0') {
    throw new ApiError('ERR_BAD_REQUEST', 'specifying resource version is not allowed when using continue');
  }
  return position;
}

/** The parameter that goes on where upstream's own token, inside of ours, says. */
export function pageOf(position: JsonObject | undefined): Pairs {
  return position === undefined ? [] : [['continue', String(position['token'])]];
}

function binding(call: Call, walk: Walk): string {
  const { group, resource, namespace } = call.info;
  return [walk, call.tenant.uid, group, resource, namespace].join('\n');
}
