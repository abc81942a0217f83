/** What of a view a request asks for, and in which shape. */
import { selectionOf } from '../cache/asked.ts';
import type { Selection } from '../cache/changes.ts';
import type { PartialApiVersion } from '../cache/partial.ts';
import { PARTIAL, PARTIAL_LIST } from '../k8s/shapes.ts';
import type { Call } from './call.ts';

/** The client's selectors; undefined when only upstream can tell what they pick, or has to refuse them. */
export function keptSelection({ info, at }: Call): Selection | undefined {
  const { namespaced } = at.kind;
  // A virtual kind is a custom resource upstream, of which nothing else can be selected.
  return selectionOf(info.query, at.class === 'virtual' ? { group: '', resource: '', namespaced } : at.kind);
}

/** Whole objects, or their metadata alone; undefined for a shape that is upstream's to make or to refuse. */
export function keptShape({ accept, info }: Call): { readonly partial: PartialApiVersion | undefined } | undefined {
  const { as } = accept;
  if (as === undefined) return { partial: undefined };
  if (as.kind !== (info.verb === 'list' ? PARTIAL_LIST : PARTIAL) || as.group !== 'meta.k8s.io') return undefined;
  return { partial: `${as.group}/${as.version}` };
}
