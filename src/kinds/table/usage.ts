/**
 * What the tenant uses of what it may use. The proxy measures it for each question; on the host there is the definition of
 * the kind alone, in `deploy/11-usage-crd.yaml`.
 */
import type { Kind } from '../kind.ts';
import { answered } from '../row.ts';

export const USAGE: readonly Kind[] = [
  answered({
    group: 'usage.kubeveil.dev',
    resource: 'usages',
    kind: 'Usage',
    reason: 'what the tenant uses of what its policy allows, and of nobody else’s; measured for each question',
    verbs: ['get', 'list'],
    measured: true,
  }),
];
