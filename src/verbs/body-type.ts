/** The type of a request's body: a subresource may have one of its own, as `pods/eviction` has `policy/v1 Eviction`. */
import { apiVersionOf } from '../k8s/types.ts';
import type { Call } from './call.ts';

export interface BodyType {
  /** In tenant terms. */
  readonly apiVersion: string;
  readonly kind: string;
  /** True when the body is not of the parent's kind. */
  readonly own: boolean;
}

/** All kinds that are bodies of subresources only are served as v1. */
const BODY_VERSION = 'v1';

export function bodyTypeOf(call: Pick<Call, 'info' | 'at'>): BodyType {
  const { subresource, group, version } = call.info;
  const declared = subresource === '' ? undefined : call.at.kind.subresources[subresource];
  if (declared?.kind === undefined)
    return { apiVersion: apiVersionOf(group, version), kind: call.at.kind.kind, own: false };
  return { apiVersion: apiVersionOf(declared.group ?? group, BODY_VERSION), kind: declared.kind, own: true };
}
