/**
 * Who makes an object, as its tenant is told: a controller of the host is the controller of that name in the virtual
 * cluster, as on a cluster of its own. Of anybody else on the host it learns only that it was somebody there.
 */
import type { Identity } from '../exchange.ts';

const ACCOUNTS = 'system:serviceaccount:kube-system:';
const ALL = 'system:authenticated';
/** kube-controller-manager where its controllers have no accounts of their own, and other parts of a control plane. */
const COMPONENTS: ReadonlySet<string> = new Set(['system:kube-controller-manager', 'system:kube-scheduler']);

export function requesterOf(username: string): Identity {
  const nobody = { uid: '', extra: {} };
  if (username.startsWith(ACCOUNTS)) {
    return { username, groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', ALL], ...nobody };
  }
  return { username: COMPONENTS.has(username) ? username : 'system:unknown', groups: [ALL], ...nobody };
}
