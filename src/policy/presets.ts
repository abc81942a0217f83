/** What each profile says where a policy file says nothing of what the host holds. From the strictest to the loosest. */
import type { Profile } from '../kinds/kind.ts';
import type { HostSettings } from './host-settings.ts';
import type { PolicyFile } from './schema.ts';

/** Of the tenant's own pod, and volumes that it claims; nothing that reaches the node or the network by a field of a pod. */
const OWN_VOLUMES = [
  ...(['configMap', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected'] as const),
  'secret' as const,
];

const ISOLATED = {
  isolate: true,
  closed: 'private' as const,
  open: [],
  from: { namespaces: [], ranges: [] },
  // As kubeadm, kops and the managed clusters of the large clouds have it.
  dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
};

const UNLIMITED = { requests: {}, limits: {}, max: {} };

const PRESETS: Readonly<Record<Profile, HostSettings>> = {
  restricted: {
    podSecurity: 'restricted',
    pods: {
      nodeSelector: {},
      tolerations: [],
      tolerate: [],
      chooseNode: false,
      volumes: OWN_VOLUMES,
      images: 'all',
      alwaysPullImages: true,
    },
    services: {
      nodePorts: false,
      loadBalancers: false,
      externalIPs: false,
      externalNames: 'none',
      endpoints: [],
    },
    ingresses: { hosts: [], annotations: [] },
    network: ISOLATED,
    quota: {},
    containers: UNLIMITED,
  },
  baseline: {
    podSecurity: 'baseline',
    pods: {
      nodeSelector: {},
      tolerations: [],
      tolerate: [],
      chooseNode: false,
      volumes: OWN_VOLUMES,
      images: 'all',
      alwaysPullImages: false,
    },
    services: {
      nodePorts: false,
      loadBalancers: false,
      externalIPs: false,
      externalNames: 'outside',
      endpoints: 'public',
    },
    ingresses: { hosts: [], annotations: [] },
    network: ISOLATED,
    quota: {},
    containers: UNLIMITED,
  },
  trusted: {
    podSecurity: 'privileged',
    pods: {
      nodeSelector: {},
      tolerations: [],
      tolerate: 'all',
      chooseNode: true,
      volumes: 'all',
      images: 'all',
      alwaysPullImages: false,
    },
    services: {
      nodePorts: true,
      loadBalancers: true,
      externalIPs: true,
      externalNames: 'all',
      endpoints: 'all',
    },
    ingresses: { hosts: 'all', annotations: 'all' },
    network: { ...ISOLATED, isolate: false },
    quota: {},
    containers: UNLIMITED,
  },
};

/** The settings of a file, filled up by its profile. */
export function hostSettings(file: Pick<PolicyFile, 'profile' | keyof HostSettings>): HostSettings {
  const preset = PRESETS[file.profile];
  return {
    podSecurity: file.podSecurity ?? preset.podSecurity,
    pods: filled(preset.pods, file.pods),
    services: filled(preset.services, file.services),
    ingresses: filled(preset.ingresses, file.ingresses),
    network: filled(preset.network, file.network),
    quota: file.quota ?? preset.quota,
    containers: filled(preset.containers, file.containers),
  };
}

function filled<Preset extends object>(
  preset: Preset,
  said: { [Key in keyof Preset]?: Preset[Key] | undefined },
): Preset {
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  return { ...preset, ...Object.fromEntries(entries) };
}
