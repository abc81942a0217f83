/** What is watched upstream. */

import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamIdentity } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';

/** What is watched, in upstream terms. */
export interface Collection {
  readonly identity: UpstreamIdentity;
  /** `/api/v1/pods` */
  readonly path: string;
  /** Label selector of the proxy's own; `''` for none. */
  readonly labels: string;
  /** Field selector of the proxy's own. */
  readonly fields?: string;
  /**
   * What is known already is of this revision: it begins there, where upstream has got so far. Or what it begins with is
   * read now, and of the revision that this resolves to.
   */
  readonly from?: string | (() => Promise<string>);
  /** Whose an object is: `undefined` is nobody's, `everybody` each view's own to decide. */
  ownerOf(object: JsonObject): TenantId | 'everybody' | undefined;
}

/** The collection's own, as parameters of a request. */
export function selectors({ labels, fields = '' }: Collection): Array<readonly [string, string]> {
  return [
    ...(labels === '' ? [] : [['labelSelector', labels] as const]),
    ...(fields === '' ? [] : [['fieldSelector', fields] as const]),
  ];
}
