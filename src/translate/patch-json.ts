/** JSON Patch in upstream terms: placeholder until the operations are mapped one by one. */
import type { JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../ports.ts';
import type { Scope } from './scope.ts';
import { NeedsLiveObject } from './walk.ts';

export function jsonPatchToUpstream(_ops: JsonValue[], _at: KindAtVersion, _scope: Scope, _sub: string): JsonValue {
  throw new NeedsLiveObject('a JSON patch');
}
