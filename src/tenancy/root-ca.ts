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
  return (isRootCa(name) ? name + MARK : name) as string as UpstreamName;
}

/** Undefined for the host's own. */
export function rootCaToTenant(name: UpstreamName): TenantName | undefined {
  if (name === (ROOT_CA as string)) return undefined;
  return (isRootCa(name) ? name.slice(0, -MARK.length) : name) as string as TenantName;
}

/** As a whole name in a text: not in `a.kube-root-ca.crt.kubeveil`, and with the stop of a sentence behind it. */
const IN_TEXT = /(?<![\w.-])kube-root-ca\.crt(?:\.kubeveil)+(?![\w-]|\.\w)/g;

/** Text from upstream, with the tenant's names in it as the tenant knows them. */
export function rootCaInText(text: string): string {
  return text.replaceAll(IN_TEXT, (name) => name.slice(0, -MARK.length));
}

/** True for names that stand for something else upstream. */
export function isRootCa(name: string): boolean {
  return TAKEN.test(name);
}
