/** A row of the table at one version: what the URL and the body of its kind are upstream. */
import { apiVersionOf } from '../k8s/types.ts';
import { type Kind, type KindAtVersion, VIRTUAL_GROUP } from './kind.ts';

/** @param kindClass its class for the tenant in question */
export function rowAt(row: Kind, kindClass: KindAtVersion['class'], version: string): KindAtVersion {
  const kind = kindClass === 'published' ? (row.published ?? row) : row;
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

/** A kind that is mixed for the tenant, as it is for objects of the tenant's own. Any other kind stays. */
export function ownSide(at: KindAtVersion): KindAtVersion {
  return at.class === 'mixed' ? { ...at, class: 'native' } : at;
}

/** A kind that is mixed for the tenant, as it is for the host's objects. Any other kind stays. */
export function hostSide(at: KindAtVersion): KindAtVersion {
  return at.class === 'mixed' ? { ...at, kind: at.kind.published ?? at.kind, class: 'published' } : at;
}
