/**
 * The ConfigMap `kube-root-ca.crt`, by which whoever is in a namespace knows the API server: for a tenant the proxy. The
 * host's controller writes the host's CA into every namespace under this name and reverts what others write there, so the
 * tenant's stands beside it, under a name that nothing else of a tenant has:
 *
 *   kube-root-ca.crt            <-> kube-root-ca.crt.kubeveil
 *   kube-root-ca.crt.kubeveil   <-> kube-root-ca.crt.kubeveil.kubeveil    and so on
 *
 * @see k8s.io/kubernetes pkg/controller/certificates/rootcacertpublisher/publisher.go at v1.36
 */
import type { TenantName, UpstreamName } from './names.ts';

/** As the tenant names its own, and as the host names its. */
export const ROOT_CA = 'kube-root-ca.crt';
const MARK = '.kubeveil';
/** As the tenant's is named upstream. */
export const TENANT_ROOT_CA = ROOT_CA + MARK;

const TAKEN = /^kube-root-ca\.crt(?:\.kubeveil)*$/;

export function rootCaToUpstream(name: TenantName): UpstreamName {
  return (TAKEN.test(name) ? name + MARK : name) as string as UpstreamName;
}

/** Undefined for the host's own. */
export function rootCaToTenant(name: UpstreamName): TenantName | undefined {
  if (name === (ROOT_CA as string)) return undefined;
  return (TAKEN.test(name) ? name.slice(0, -MARK.length) : name) as string as TenantName;
}
