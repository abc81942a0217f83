/** A row of the table at one version: what the URL and the body of its kind are upstream. */
import { apiVersionOf } from '../k8s/types.ts';
import { type Kind, type KindAtVersion, VIRTUAL_GROUP } from './kind.ts';

/** @param kindClass its class for the tenant in question */
export function rowAt(kind: Kind, kindClass: KindAtVersion['class'], version: string): KindAtVersion {
  const group = kindClass === 'virtual' ? VIRTUAL_GROUP : kind.group;
  return {
    kind,
    class: kindClass,
    version,
    upstreamRoot: group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    upstreamResource: kind.resource,
    upstreamApiVersion: apiVersionOf(group, version),
  };
}
