/** `kubeveil kubeconfig TENANT`: a credential for one user of a tenant, in a kubeconfig. */
import { readFileSync } from 'node:fs';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import {
  contextName,
  type Entry,
  mergedKubeconfig,
  newKubeconfig,
  readIfThere,
  writePrivateFile,
} from '../onboarding/kubeconfig.ts';
import { phaseOf, Tenants } from '../onboarding/tenants.ts';
import { issueClient } from '../pki/certificates.ts';
import { withHost } from './host.ts';
import { print } from './output.ts';

interface Options {
  kubeconfig?: string;
  user: string;
  group?: string[];
  ttl: number;
  out?: string;
  merge?: string;
  server?: string;
  certificateAuthority?: string;
}

/** Members administer their tenant, and nothing outside of it. */
const ADMINISTRATORS = 'system:masters';

export async function kubeconfig(id: string, options: Options): Promise<void> {
  await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const tenant = await tenants.get(id);
    if (tenant === undefined) throw new Error(`there is no tenant ${id}; make it with "kubeveil tenant create ${id}"`);
    if (phaseOf(tenant) !== 'Active')
      throw new Error(`tenant ${id} is ${phaseOf(tenant)}; "kubeveil tenant describe ${id}" tells why`);
    await writeKubeconfig(tenants, tenant, {
      ...options,
      groups: options.group ?? [ADMINISTRATORS],
      ttlMs: options.ttl,
    });
  });
}

export interface Writing {
  user: string;
  groups: readonly string[];
  ttlMs: number;
  out?: string;
  merge?: string;
  server?: string;
  certificateAuthority?: string;
}

/** Issues the credential and writes, merges or prints the kubeconfig. */
export async function writeKubeconfig(tenants: Tenants, tenant: JsonObject, writing: Writing): Promise<void> {
  const published =
    writing.server === undefined || writing.certificateAuthority === undefined
      ? await tenants.proxyAddress()
      : undefined;
  const { user, groups, ttlMs } = writing;
  const pair = await issueClient(await tenants.clientCa(tenant), { user, groups, ttlMs });
  const entry: Entry = {
    tenant: nameOf(tenant),
    user,
    server: writing.server ?? published?.server ?? '',
    caPem:
      writing.certificateAuthority === undefined
        ? (published?.caPem ?? '')
        : readFileSync(writing.certificateAuthority, 'utf8'),
    ...pair,
  };
  if (writing.merge !== undefined) {
    const text = readIfThere(writing.merge);
    writePrivateFile(
      writing.merge,
      text === undefined ? newKubeconfig(entry) : mergedKubeconfig(text, writing.merge, entry),
    );
    print(`merged into ${writing.merge}; the current context is now ${contextName(entry.tenant)}`);
  } else if (writing.out !== undefined) {
    writePrivateFile(writing.out, newKubeconfig(entry));
  } else {
    print(newKubeconfig(entry));
  }
}
