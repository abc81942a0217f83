/**
 * Do the API server's own admission plugins act that hold tenants' pods and amounts? No API tells which are on, so each is
 * asked for something that it must refuse, in words of its own. Nothing is written, whatever the answer.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { JsonObject } from '../../k8s/types.ts';
import { ACCOUNTS, PROXY_NAMESPACE, PROXY_NAMESPACE_PATH } from '../../tenancy/host-names.ts';
import { type HostClient, HostError } from '../../upstream/host-client.ts';

interface Probe {
  readonly plugin: string;
  /** Why besides, for the operator. */
  readonly or: string;
  readonly resource: string;
  readonly object: JsonObject;
  /** What the refusal of the plugin says. */
  readonly refusal: string;
  /** What says somebody else who refuses it after the plugin has not. */
  readonly otherwise?: string;
}

const NAME = 'kubeveil-wall-probe';

const PROBES: readonly Probe[] = [
  {
    plugin: 'PodSecurity',
    or: 'the namespace has lost its label',
    resource: 'pods',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: NAME, namespace: PROXY_NAMESPACE },
      spec: {
        serviceAccountName: ACCOUNTS.provisioner,
        hostNetwork: true,
        containers: [{ name: 'probe', image: 'probe', securityContext: { privileged: true } }],
      },
    },
    refusal: 'violates PodSecurity',
    // 55-wall-provisioner.yaml
    otherwise: 'makes no pods',
  },
  {
    plugin: 'LimitRanger',
    or: 'the LimitRange kubeveil-probe (67-probe-plugins.yaml) is gone',
    resource: 'persistentvolumeclaims',
    object: claim('2Mi'),
    refusal: 'maximum storage usage per PersistentVolumeClaim',
    // Without the one plugin it is the other's.
    otherwise: 'exceeded quota',
  },
  {
    plugin: 'ResourceQuota',
    or: 'the ResourceQuota kubeveil-probe (67-probe-plugins.yaml) is gone, or kube-controller-manager has not counted it yet',
    resource: 'persistentvolumeclaims',
    object: claim('1Mi'),
    refusal: 'exceeded quota',
  },
];

function claim(storage: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: NAME, namespace: PROXY_NAMESPACE },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } } },
  };
}

/** Those that do not act, in words for the operator. @throws {HostError} when the host says something else */
export async function idlePlugins(client: Pick<HostClient, 'create'>): Promise<string[]> {
  const acting = await Promise.all(PROBES.map((probe) => acts(client, probe)));
  return PROBES.filter((_probe, index) => acting[index] !== true).map(
    ({ plugin, or }) =>
      `the admission plugin ${plugin} does not act on the namespace ${PROXY_NAMESPACE}: it is switched off in the API server, or ${or}`,
  );
}

async function acts(client: Pick<HostClient, 'create'>, probe: Probe): Promise<boolean> {
  const { resource, object, refusal, otherwise } = probe;
  try {
    await client.create(`${PROXY_NAMESPACE_PATH}/${resource}`, object, [['dryRun', 'All']]);
    return false;
  } catch (error) {
    if (!(error instanceof HostError) || error.status !== 403) throw error;
    if (error.message.includes(refusal)) return true;
    if (otherwise !== undefined && error.message.includes(otherwise)) return false;
    throw error;
  }
}
