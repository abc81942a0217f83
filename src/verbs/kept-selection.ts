/** What of a view a request asks for, and waiting until a view can be asked. */
import type { Selection } from '../cache/changes.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { isSelectable } from '../k8s/selectable-fields.ts';
import { parseFieldSelector, SelectorSyntaxError } from '../k8s/selector.ts';
import type { Call } from './call.ts';

/** The client's selectors; undefined when only upstream can tell what they pick, or has to refuse them. */
export function selectionOf({ info, at }: Call): Selection | undefined {
  const { group, resource, namespaced } = at.kind;
  try {
    const label = parseLabelSelector(info.query.get('labelSelector') ?? '');
    const field = parseFieldSelector(info.query.get('fieldSelector') ?? '');
    // A virtual kind is a custom resource upstream, of which nothing else can be selected.
    const [ofGroup, ofResource] = at.class === 'virtual' ? ['', ''] : [group, resource];
    const isKnown = field.requirements.every((one) => isSelectable(one.field, ofGroup, ofResource, namespaced));
    return isKnown ? { label, field } : undefined;
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return undefined;
    throw error;
  }
}

/**
 * Waits for a view, but not for a client that is gone. False where it cannot be had: what cannot be read is left to
 * upstream to answer or to refuse.
 */
export async function ready(wait: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = (): void => resolve(false);
  signal.addEventListener('abort', stop);
  wait().then(() => resolve(true), stop);
  const isReady = await promise;
  signal.removeEventListener('abort', stop);
  return isReady;
}
