/**
 * Where pods find the API server of their virtual cluster, and its names: what the policy `deploy/47-pods.yaml` puts into
 * each new pod. It reads this from annotations of a ClusterRole without rules, which is the same for every replica.
 */
import { POD_MARKS, POD_SETTINGS_ROLE } from '../../tenancy/host-names.ts';
import { OWN_PREFIX } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';

export interface PodSettings {
  /** IP address or name, and port, that `KUBERNETES_SERVICE_HOST` and `_PORT` say. Undefined: pods keep the host's. */
  readonly api: { readonly host: string; readonly port: number } | undefined;
  /** Address of the cluster's DNS, and the domain that it rewrites. Undefined: pods keep the host's. */
  readonly dns: { readonly server: string; readonly suffix: string } | undefined;
}

/** Writes them down for the host. @throws {HostError} where deploy/ is not applied */
export async function publishPodSettings(client: HostClient, { api, dns }: PodSettings): Promise<void> {
  const annotations = {
    [POD_MARKS.serviceHost]: api?.host ?? null,
    [POD_MARKS.servicePort]: api === undefined ? null : String(api.port),
    [`${OWN_PREFIX}dns-server`]: dns?.server ?? null,
    [`${OWN_PREFIX}dns-suffix`]: dns?.suffix ?? null,
  };
  await client.merge(`${PATHS.clusterRoles}/${POD_SETTINGS_ROLE}`, { metadata: { annotations } });
}
