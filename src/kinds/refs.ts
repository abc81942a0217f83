/**
 * References that occur in many kinds: written once, put under the path where each kind has them.
 *
 * A pod spec stands in eleven kinds and a claim spec in four; a row that forgot one of them would leak, so rows never
 * spell them out.
 *
 * @see k8s.io/api core/v1/types.go at v0.36
 */
import type { Reference, ResourceKey, Target } from './kind.ts';

export const PRIORITY_CLASSES: ResourceKey = 'scheduling.k8s.io/priorityclasses';
const RUNTIME_CLASSES: ResourceKey = 'node.k8s.io/runtimeclasses';
export const STORAGE_CLASSES: ResourceKey = 'storage.k8s.io/storageclasses';
export const VOLUME_ATTRIBUTES_CLASSES: ResourceKey = 'storage.k8s.io/volumeattributesclasses';
export const INGRESS_CLASSES: ResourceKey = 'networking.k8s.io/ingressclasses';
const DEVICE_CLASSES: ResourceKey = 'resource.k8s.io/deviceclasses';
export const CLUSTER_TRUST_BUNDLES: ResourceKey = 'certificates.k8s.io/clustertrustbundles';
export const NODES: ResourceKey = '/nodes';
export const VOLUMES: ResourceKey = '/persistentvolumes';

function ref(path: string, target: Target): Reference {
  return { path, target };
}

export function nameRef(path: string, of: ResourceKey): Reference {
  return ref(path, { is: 'name', of });
}

export function namespaceRef(path: string): Reference {
  return ref(path, { is: 'namespace' });
}

export function groupRef(path: string): Reference {
  return ref(path, { is: 'group' });
}

export function objectRef(path: string): Reference {
  return ref(path, { is: 'objectReference' });
}

export function namespaceSelectorRef(path: string): Reference {
  return ref(path, { is: 'namespaceSelector' });
}

export function messageRef(path: string): Reference {
  return ref(path, { is: 'message' });
}

export function specialRef(path: string, name: string): Reference {
  return ref(path, { is: 'special', name });
}

/** `status.conditions[].message`: controllers quote upstream names in it. */
export function conditionRefs(path: string = 'status.conditions'): Reference[] {
  return [messageRef(`${path}[].message`)];
}

/** PodAffinity and PodAntiAffinity below `path`. */
function podAffinityRefs(path: string): Reference[] {
  const terms = [
    `${path}.requiredDuringSchedulingIgnoredDuringExecution[]`,
    `${path}.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm`,
  ];
  return terms.flatMap((term) => [
    namespaceRef(`${term}.namespaces[]`),
    namespaceSelectorRef(`${term}.namespaceSelector`),
  ]);
}

/** PersistentVolumeClaimSpec at `path`, without the name of the volume. */
function claimSpecRefs(path: string): Reference[] {
  return [
    specialRef(`${path}.storageClassName`, 'claimClass'),
    nameRef(`${path}.volumeAttributesClassName`, VOLUME_ATTRIBUTES_CLASSES),
    objectRef(`${path}.dataSource`),
    objectRef(`${path}.dataSourceRef`),
  ];
}

/** A PersistentVolumeClaim. */
export function claimRefs(): Reference[] {
  return [
    specialRef('metadata.annotations', 'claimAnnotations'),
    nameRef('spec.volumeName', VOLUMES),
    ...claimBodyRefs(''),
  ];
}

/** PersistentVolumeClaim below `under`, status included, without the name of its volume. */
function claimBodyRefs(under: string): Reference[] {
  return [
    ...claimSpecRefs(`${under}spec`),
    nameRef(`${under}status.currentVolumeAttributesClassName`, VOLUME_ATTRIBUTES_CLASSES),
    nameRef(`${under}status.modifyVolumeStatus.targetVolumeAttributesClassName`, VOLUME_ATTRIBUTES_CLASSES),
    ...conditionRefs(`${under}status.conditions`),
  ];
}

/** ContainerStatus lists below `path`. What a container says at its end is its own text; why it waits is the kubelet's. */
export function containerStatusRefs(path: string): Reference[] {
  const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
  return lists.flatMap((list) => [
    ...requirementRefs(`${path}.${list}[].resources`),
    ...amountRefs(`${path}.${list}[].allocatedResources`),
    messageRef(`${path}.${list}[].state.waiting.message`),
    messageRef(`${path}.${list}[].lastState.waiting.message`),
  ]);
}

/** A map of amounts by resource at each of these paths: a resource may name a DeviceClass. */
export function amountRefs(...paths: string[]): Reference[] {
  return paths.map((path) => specialRef(`${path}{key}`, 'quotaKey'));
}

/** ResourceRequirements at `path`. */
function requirementRefs(path: string): Reference[] {
  return amountRefs(`${path}.limits`, `${path}.requests`);
}

/** PodSpec at `path`: `spec` of a pod, `spec.template.spec` of a deployment. */
export function podSpecRefs(path: string): Reference[] {
  return [
    nameRef(`${path}.nodeName`, NODES),
    nameRef(`${path}.priorityClassName`, PRIORITY_CLASSES),
    nameRef(`${path}.runtimeClassName`, RUNTIME_CLASSES),
    ...['', '.containers[]', '.initContainers[]', '.ephemeralContainers[]'].flatMap((of) =>
      requirementRefs(`${path}${of}.resources`),
    ),
    ...podAffinityRefs(`${path}.affinity.podAffinity`),
    ...podAffinityRefs(`${path}.affinity.podAntiAffinity`),
    claimTemplateMetadataRef(`${path}.volumes[].ephemeral.volumeClaimTemplate.metadata`),
    templateVolumeRef(`${path}.volumes[].ephemeral.volumeClaimTemplate.spec.volumeName`),
    ...claimSpecRefs(`${path}.volumes[].ephemeral.volumeClaimTemplate.spec`),
    nameRef(`${path}.volumes[].projected.sources[].clusterTrustBundle.name`, CLUSTER_TRUST_BUNDLES),
  ];
}

/** The metadata of a template: what is made from it carries its labels and annotations. */
export function templateMetadataRef(path: string): Reference {
  return specialRef(path, 'templateMetadata');
}

/** The same of a template of claims, whose annotations may choose a class. */
function claimTemplateMetadataRef(path: string): Reference {
  return specialRef(path, 'claimTemplateMetadata');
}

/** The volume that a template of claims names: none. */
function templateVolumeRef(path: string): Reference {
  return specialRef(path, 'templateVolume');
}

/** PodTemplateSpec at `path`: `template`, `spec.template`. */
export function podTemplateRefs(path: string): Reference[] {
  return [templateMetadataRef(`${path}.metadata`), ...podSpecRefs(`${path}.spec`)];
}

/** Claims that are made from templates below `path`, an array. */
export function claimTemplateRefs(path: string): Reference[] {
  return [
    claimTemplateMetadataRef(`${path}[].metadata`),
    templateVolumeRef(`${path}[].spec.volumeName`),
    ...claimBodyRefs(`${path}[].`),
  ];
}

/** DeviceClaim at `path`: what a ResourceClaim asks for. */
export function deviceClaimRefs(path: string): Reference[] {
  return [`${path}.requests[].exactly`, `${path}.requests[].firstAvailable[]`].flatMap((request) => [
    nameRef(`${request}.deviceClassName`, DEVICE_CLASSES),
    deviceSelectorRef(request),
  ]);
}

/** Selectors of devices at `path`, which the host's scheduler runs. */
export function deviceSelectorRef(path: string): Reference {
  return specialRef(`${path}.selectors[].cel.expression`, 'hostExpression');
}

/** PersistentVolumeSpec at `path`: of a volume, or inline in an attachment. */
export function volumeSpecRefs(path: string): Reference[] {
  const secrets = [
    'cephfs.secretRef',
    'cinder.secretRef',
    'flexVolume.secretRef',
    'iscsi.secretRef',
    'rbd.secretRef',
    'scaleIO.secretRef',
  ];
  const csi = [
    'controllerExpandSecretRef',
    'controllerPublishSecretRef',
    'nodeExpandSecretRef',
    'nodePublishSecretRef',
    'nodeStageSecretRef',
  ];
  return [
    objectRef(`${path}.claimRef`),
    specialRef(`${path}.storageClassName`, 'volumeClass'),
    nameRef(`${path}.volumeAttributesClassName`, VOLUME_ATTRIBUTES_CLASSES),
    ...secrets.map((secret) => namespaceRef(`${path}.${secret}.namespace`)),
    ...csi.map((secret) => namespaceRef(`${path}.csi.${secret}.namespace`)),
    namespaceRef(`${path}.azureFile.secretNamespace`),
    namespaceRef(`${path}.glusterfs.endpointsNamespace`),
    objectRef(`${path}.storageos.secretRef`),
  ];
}
