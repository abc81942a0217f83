/** `kubeveil kubeconfig TENANT`: a credential for one user of a tenant, in a kubeconfig. */
import { administrator, issueEntry, type ProxyAt, type Who } from '../onboarding/credential.ts';
import { mergeIntoFile, newKubeconfig, writePrivateFile } from '../onboarding/kubeconfig.ts';
import { phaseOf, Tenants } from '../onboarding/tenants.ts';
import { withHost } from './host.ts';
import { print } from './output.ts';

interface Options extends ProxyAt {
  kubeconfig?: string;
  user: string;
  group?: string[];
  ttl: number;
  serviceAccount?: string;
  oidcIssuer?: string;
  oidcClientId?: string;
  out?: string;
  merge?: string;
}

export async function kubeconfig(id: string, options: Options): Promise<void> {
  const { ttl: ttlMs, out, merge } = options;
  const entry = await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const tenant = await tenants.get(id);
    if (tenant === undefined) throw new Error(`there is no tenant ${id}; make it with "kubeveil tenant create ${id}"`);
    if (phaseOf(tenant) !== 'Active')
      throw new Error(`tenant ${id} is ${phaseOf(tenant)}; "kubeveil tenant describe ${id}" tells why`);
    return await issueEntry(tenants, tenant, whoOf(options), options);
  });
  if (merge !== undefined) {
    mergeIntoFile(merge, entry);
    print(`merged into ${merge}; the current context is now ${entry.context}`);
  }
  if (out !== undefined) {
    writePrivateFile(out, newKubeconfig(entry));
    const lasts = options.oidcIssuer === undefined ? `, until ${until(ttlMs)}` : '';
    print(`wrote ${out}: user ${entry.user.replace(`${entry.context}-`, '')} of tenant ${id}${lasts}`);
  }
  if (merge === undefined && out === undefined) print(newKubeconfig(entry));
}

/** @throws {Error} for options that say two things */
function whoOf({ user, group, ttl: ttlMs, serviceAccount, oidcIssuer, oidcClientId }: Options): Who {
  if (serviceAccount !== undefined && oidcIssuer !== undefined) {
    throw new Error('--service-account and --oidc-issuer are two users; give one');
  }
  if ((oidcIssuer === undefined) !== (oidcClientId === undefined)) {
    throw new Error('--oidc-issuer and --oidc-client-id go together');
  }
  if (oidcIssuer !== undefined && oidcClientId !== undefined) {
    return { oidc: { issuer: oidcIssuer, clientId: oidcClientId } };
  }
  if (serviceAccount === undefined) return { user, groups: group ?? administrator(ttlMs).groups, ttlMs };
  const [namespace = '', name = '', ...more] = serviceAccount.split('/');
  if (namespace === '' || name === '' || more.length > 0) throw new Error('--service-account is NAMESPACE/NAME');
  return { account: { namespace, name }, ttlMs };
}

/** `2026-03-01 12:00 UTC`, by the clock of this machine. */
function until(ttlMs: number): string {
  return `${new Date(Date.now() + ttlMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
