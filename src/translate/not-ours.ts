/**
 * An object, row or name from upstream that is not this tenant's, or that cannot be shown safely. It is left out of
 * lists and watches and is 404 by name; the message is for the log and never for a client.
 */
import type { JsonObject } from '../k8s/types.ts';

export class NotOurs extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotOurs';
  }
}

/** The value, or undefined where it is not the tenant's. */
export function shownOr<T>(map: () => T, onLeftOut: (error: NotOurs) => void): T | undefined {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof NotOurs)) throw error;
    onLeftOut(error);
    return undefined;
  }
}

/** `apps/v1 Deployment`, for the message of a NotOurs; whatever the two fields hold. */
export function typeName({ apiVersion, kind }: JsonObject): string {
  return [apiVersion, kind].map((part) => (typeof part === 'string' ? part : '?')).join(' ');
}
