/** Kinds that the proxy answers itself. */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import type { ResourceRequest } from '../pipeline.ts';

export function createReviewHandler(_options: unknown): (request: ResourceRequest, scope: unknown) => Promise<Reply> {
  return async () => {
    throw new ApiError('ERR_NOT_FOUND', 'the server could not find the requested resource');
  };
}
