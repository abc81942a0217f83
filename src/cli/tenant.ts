/** `kubeveil tenant create | list | describe | delete` */

import { readFileSync } from 'node:fs';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { administrator, issueEntry, whenActive } from '../onboarding/credential.ts';
import { newKubeconfig, serialInKubeconfig, writePrivateFile } from '../onboarding/kubeconfig.ts';
import { phaseOf, Tenants, wordOf } from '../onboarding/tenants.ts';
import { type TenantId, toTenantName, type UpstreamName } from '../tenancy/names.ts';
import { certificateSerial } from '../tenancy/tenant.ts';
import { withHost } from './host.ts';
import { age, type Format, print, structured, table } from './output.ts';

interface HostOption {
  kubeconfig?: string;
}

const TTL_MS = 12 * 3_600_000;

export async function createTenant(
  id: string,
  options: HostOption & { policy: string; oidcGroup?: string[]; out?: string; timeout: number },
): Promise<void> {
  const file = options.out ?? `${id}.kubeconfig`;
  await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const { policy, oidcGroup } = options;
    await tenants.create(id, { policy, ...(oidcGroup === undefined ? {} : { administratorGroups: oidcGroup }) });
    const tenant = await whenActive(tenants, id, options.timeout);
    writePrivateFile(file, newKubeconfig(await issueEntry(tenants, tenant, administrator(TTL_MS))));
  });
  print(
    `tenant ${id} is ready; its administrator's kubeconfig is ${file}\n\n  kubectl --kubeconfig ${file} get namespaces`,
  );
}

export async function suspendTenant(id: string, options: HostOption): Promise<void> {
  await withHost(options.kubeconfig, (upstream) => new Tenants(upstream).suspend(id, true));
  print(`tenant ${id} is suspended: its requests are refused, and what it has open ends within two seconds`);
}

export async function resumeTenant(id: string, options: HostOption & { timeout: number }): Promise<void> {
  await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    await tenants.suspend(id, false);
    await whenActive(tenants, id, options.timeout);
  });
  print(`tenant ${id} is back in service`);
}

export async function revokeCertificate(
  id: string,
  options: HostOption & { serial?: string; file?: string },
): Promise<void> {
  const serial = serialOf(options);
  const isNew = await withHost(options.kubeconfig, (upstream) => new Tenants(upstream).revoke(id, serial));
  print(`certificate ${serial} of tenant ${id} ${isNew ? 'counts no more' : 'was revoked before'}`);
}

/** @throws {Error} unless the options name one certificate */
function serialOf({ serial, file }: { serial?: string; file?: string }): string {
  if ((serial === undefined) === (file === undefined)) throw new Error('give either --serial or --file');
  const read = certificateSerial(serial ?? serialInKubeconfig(readFileSync(file ?? '', 'utf8')) ?? '');
  if (read !== undefined) return read;
  throw new Error(
    file === undefined ? '--serial is no serial number: it is hexadecimal' : `${file} has no client certificate`,
  );
}

export async function listTenants(options: HostOption & { output: Format }): Promise<void> {
  const all = await withHost(options.kubeconfig, (upstream) => new Tenants(upstream).list());
  if (options.output !== 'table') return print(structured(options.output, all));
  const rows = all.map((tenant) => [nameOf(tenant), shownPhase(tenant), policyOf(tenant), age(createdAt(tenant))]);
  print(
    rows.length === 0
      ? 'There are no tenants; make one with "kubeveil tenant create ID".'
      : table(['TENANT', 'PHASE', 'POLICY', 'AGE'], rows),
  );
}

export async function describeTenant(id: string, options: HostOption & { output: Format }): Promise<void> {
  const { tenant, namespaces } = await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const tenant = await tenants.get(id);
    if (tenant === undefined) throw new Error(`there is no tenant ${id}; "kubeveil tenant list" shows those there are`);
    return { tenant, namespaces: await tenants.namespaces(id) };
  });
  if (options.output !== 'table') return print(structured(options.output, { tenant, namespaces }));
  print(
    table(
      ['Tenant:', id],
      [
        ['Phase:', shownPhase(tenant)],
        ['Policy:', policyOf(tenant)],
        ['Uid:', String(metadataOf(tenant)['uid'])],
        ['Age:', age(createdAt(tenant))],
        ...(shownPhase(tenant) === 'Active' ? [] : [['Waits for:', wordOf(tenant)]]),
      ],
    ),
  );
  const rows = namespaces.map((namespace) => [
    toTenantName(id as TenantId, nameOf(namespace) as UpstreamName) ?? nameOf(namespace),
    nameOf(namespace),
    metadataOf(namespace)['deletionTimestamp'] === undefined ? 'Active' : 'Terminating',
  ]);
  print(`\n${table(['NAMESPACE', 'ON THE HOST', 'STATUS'], rows)}`);
}

export async function deleteTenant(
  id: string,
  options: HostOption & { wait: boolean; timeout: number },
): Promise<void> {
  await withHost(options.kubeconfig, async (upstream) => {
    const tenants = new Tenants(upstream);
    const deleted = await tenants.delete(id);
    const { uid } = metadataOf(deleted);
    if (options.wait)
      await tenants.waitFor(id, (tenant) => tenant === undefined || metadataOf(tenant)['uid'] !== uid, options.timeout);
  });
  print(options.wait ? `tenant ${id} and everything that was its own are gone` : `tenant ${id} is being deleted`);
}

function shownPhase(tenant: JsonObject): string {
  return metadataOf(tenant)['deletionTimestamp'] === undefined ? phaseOf(tenant) : 'Terminating';
}

function policyOf(tenant: JsonObject): string {
  return String((tenant['spec'] as JsonObject | undefined)?.['policy'] ?? 'default');
}

function createdAt(tenant: JsonObject): string {
  return String(metadataOf(tenant)['creationTimestamp']);
}
