/**
 * The part of a policy file that the host itself holds, for whatever is in a tenant's namespaces and whoever wrote it: a
 * tenant, a controller of the host, or somebody who goes past the proxy. What is left out is as the profile has it
 * (presets.ts). `policies/default.yaml` explains each setting.
 */
import { z } from 'zod';
import { cidrProblem } from '../k8s/ip.ts';
import { canonicalQuantity, parseQuantity } from '../k8s/quantity.ts';

/** Values stand in annotations, as lists with spaces and commas between them. */
const NO_SEPARATORS = /^[^\s,*]+$/;
const word = z.string().regex(NO_SEPARATORS, 'must have no spaces, commas or asterisks');
/** The beginning of an image's name, with all of its registry: `docker.io` is also that of `docker.io.example.org`. */
const image = word.regex(/^[^/:]+(:\d+)?\//, 'must begin with a registry and a slash, such as registry.example.com/');
/** `pool`, `example.com/pool`. */
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelKey = z.string().regex(LABEL_KEY, 'must be the key of a label, such as example.com/pool');
const labelValue = z.string().regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/, 'must be a value of a label');
const allOr = <T extends z.ZodType>(item: T, what: string) =>
  z.union([z.literal('all'), z.array(item)], { error: `must be the word all, or a list of ${what}` });

const range = z.string().superRefine((text, context) => {
  const problem = cidrProblem(text);
  if (problem !== undefined) context.addIssue(problem);
});

const quantity = z
  .union([z.int().min(0).transform(String), z.string()], { error: 'must be a quantity, such as 10, 500m or 2Gi' })
  .refine((text) => (parseQuantity(text) ?? -1n) >= 0n, 'must be a quantity, such as 10, 500m or 2Gi')
  .transform(canonicalQuantity);
const resources = z.partialRecord(z.enum(['cpu', 'memory', 'ephemeral-storage']), quantity);
/** What a ResourceQuota may count in every namespace. */
const QUOTA_KEY =
  /^((requests|limits)\.(cpu|memory|ephemeral-storage)|requests\.storage|pods|services|services\.(nodeports|loadbalancers)|persistentvolumeclaims|secrets|configmaps|replicationcontrollers|count\/[a-z0-9.-]+|requests\.[a-z0-9.-]+\/[A-Za-z0-9._-]+)$/;
const quotaKey = z
  .string()
  .regex(QUOTA_KEY, 'must be what a ResourceQuota counts, such as pods, requests.cpu or count/jobs.batch');

/** A host of an Ingress: a name, or `*.` and a name; `{tenant}` stands for the tenant's id. */
const HOST = /^(\*\.)?([a-z0-9{]([-a-z0-9{}]*[a-z0-9}])?\.)*[a-z0-9{]([-a-z0-9{}]*[a-z0-9}])?$/;

/** Sources of volumes, as the fields of a pod call them. */
const VOLUMES = [
  ...['configMap', 'secret', 'emptyDir', 'projected', 'downwardAPI', 'persistentVolumeClaim', 'ephemeral', 'image'],
  ...['csi', 'hostPath', 'nfs', 'iscsi', 'fc', 'rbd', 'cephfs', 'cinder', 'glusterfs', 'flexVolume', 'flocker'],
  ...['gitRepo', 'azureDisk', 'azureFile', 'awsElasticBlockStore', 'gcePersistentDisk', 'vsphereVolume'],
  ...['photonPersistentDisk', 'portworxVolume', 'quobyte', 'scaleIO', 'storageos'],
] as const;

const toleration = z.strictObject({
  key: labelKey,
  value: labelValue.default(''),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const podSecurityLevel = z.enum(['privileged', 'baseline', 'restricted']);

/** Without defaults: those are the profile's. */
export const hostSettings = {
  podSecurity: podSecurityLevel.optional(),
  pods: z
    .strictObject({
      nodeSelector: z.record(labelKey, labelValue),
      tolerations: z.array(toleration),
      tolerate: allOr(labelKey, 'keys of taints'),
      chooseNode: z.boolean(),
      volumes: allOr(z.enum(VOLUMES), 'sources of volumes, such as configMap'),
      images: allOr(image, 'beginnings of image names, such as registry.example.com/'),
      alwaysPullImages: z.boolean(),
    })
    .partial()
    .prefault({}),
  services: z
    .strictObject({
      nodePorts: z.boolean(),
      loadBalancers: z.boolean(),
      externalIPs: z.boolean(),
      externalNames: z.enum(['none', 'outside', 'all']),
      endpoints: z.union([z.enum(['all', 'public']), z.array(range)], {
        error: 'must be the word all or public, or a list of ranges such as 203.0.113.0/24',
      }),
    })
    .partial()
    .prefault({}),
  ingresses: z
    .strictObject({
      hosts: allOr(z.string().regex(HOST, 'must be a host, such as *.{tenant}.example.com'), 'hosts'),
      annotations: z.union([z.enum(['all', 'harmless']), z.array(word)], {
        error: 'must be the word all or harmless, or a list of keys of annotations',
      }),
    })
    .partial()
    .prefault({}),
  network: z
    .strictObject({
      isolate: z.boolean(),
      closed: z.union([z.literal('private'), z.array(range)], {
        error: 'must be the word private, or a list of ranges such as 10.0.0.0/8',
      }),
      open: z.array(range),
      from: z.strictObject({ namespaces: z.array(word).default([]), ranges: z.array(range).default([]) }),
      dns: z.strictObject({ namespace: word, podLabels: z.record(labelKey, labelValue) }),
    })
    .partial()
    .prefault({}),
  quota: z.record(quotaKey, quantity).optional(),
  containers: z.strictObject({ requests: resources, limits: resources, max: resources }).partial().prefault({}),
};
