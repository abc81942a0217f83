/** `kubeveil kubeconfig TENANT`: a credential for one user of a tenant, in a kubeconfig. */
import { administrator, issueEntry, type ProxyAt } from '../onboarding/credential.ts';
import { mergeIntoFile, newKubeconfig, writePrivateFile } from '../onboarding/kubeconfig.ts';
import { phaseOf, Tenants } from '../onboarding/tenants.ts';
import { withHost } from './host.ts';
import { print } from './output.ts';

interface Options extends ProxyAt {
  kubeconfig?: string;
  user: string;
  group?: string[];
  ttl: number;
  out?: string;
  merge?: string;
}

export async function kubeconfig(id: string, options: Options): Promise<void> {
  const { user, group, ttl: ttlMs, out, merge } = options;
  const entry = await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const tenant = await tenants.get(id);
    if (tenant === undefined) throw new Error(`there is no tenant ${id}; make it with "kubeveil tenant create ${id}"`);
    if (phaseOf(tenant) !== 'Active')
      throw new Error(`tenant ${id} is ${phaseOf(tenant)}; "kubeveil tenant describe ${id}" tells why`);
    const who = { user, groups: group ?? administrator(ttlMs).groups, ttlMs };
    return await issueEntry(tenants, tenant, who, options);
  });
  if (merge !== undefined) {
    mergeIntoFile(merge, entry);
    print(`merged into ${merge}; the current context is now ${entry.context}`);
  }
  if (out !== undefined) {
    writePrivateFile(out, newKubeconfig(entry));
    print(`wrote ${out}: user ${user} of tenant ${id}, until ${until(ttlMs)}`);
  }
  if (merge === undefined && out === undefined) print(newKubeconfig(entry));
}

/** `2026-03-01 12:00 UTC`, by the clock of this machine. */
function until(ttlMs: number): string {
  return `${new Date(Date.now() + ttlMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
