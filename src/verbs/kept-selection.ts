/** What of a view a request asks for. */
import { selectionOf } from '../cache/asked.ts';
import type { Selection } from '../cache/changes.ts';
import type { Call } from './call.ts';

/** The client's selectors; undefined when only upstream can tell what they pick, or has to refuse them. */
export function keptSelection({ info, at }: Call): Selection | undefined {
  const { namespaced } = at.kind;
  // A virtual kind is a custom resource upstream, of which nothing else can be selected.
  return selectionOf(info.query, at.class === 'virtual' ? { group: '', resource: '', namespaced } : at.kind);
}
