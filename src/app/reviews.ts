/** Kinds that the proxy answers itself: reviews, from the same authorizer and authenticators as requests are judged by. */
import type { Authenticators } from '../authn/authenticate.ts';
import { noSuchPath } from '../errors.ts';
import type { Reply, ResourceRequest } from '../exchange.ts';
import { createReviewHandlers } from '../reviews/handlers.ts';
import { checkByAuthenticator } from '../reviews/token-review.ts';
import type { HostView } from './host-view.ts';

export interface ReviewHandlerOptions {
  readonly view: HostView;
  readonly authenticators: Authenticators;
}

/** @throws {ApiError} ERR_NOT_FOUND for a kind that the table leaves to the proxy and that nothing here answers */
export function createReviewHandler({
  view,
  authenticators,
}: ReviewHandlerOptions): (request: ResourceRequest) => Promise<Reply> {
  const handlers = createReviewHandlers({
    authorizer: view.authorizer,
    checkToken: checkByAuthenticator((token) => authenticators.serviceAccountToken(token)),
    nowMs: () => Date.now(),
  });
  return async (request) => {
    const handler = handlers(request.info.group, request.info.resource);
    if (handler === undefined || request.info.subresource !== '') {
      throw noSuchPath();
    }
    return handler(request);
  };
}
