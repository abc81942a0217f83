/**
 * What a policy file may say. Every key is known and every value is checked; an unknown key is a fault of the file, for
 * it is most often a misspelt limit. `policies/default.yaml` explains each one.
 */
import { z } from 'zod';
import { splitResource } from '../kinds/resource-name.ts';
import { kindOf } from '../kinds/table.ts';
import { OWN_API_VERSION } from '../tenancy/host-names.ts';
import { tenantIdProblem } from '../tenancy/names.ts';
import { hostSettings } from './host-schema.ts';
import { ownRules } from './own-rules.ts';

/** Resources that no virtual cluster can do without. */
const NEEDED = new Set(['namespaces', 'serviceaccounts', 'configmaps', 'secrets', 'events']);

const classes = z
  .union(
    [z.literal('all'), z.array(z.string().regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be the name of a class'))],
    {
      error: 'must be the word all, or a list of names',
    },
  )
  .default([]);

const deniedKind = z.string().superRefine((text, context) => {
  const { group, resource } = splitResource(text);
  if (kindOf(group, resource) === undefined) {
    context.addIssue(
      `${JSON.stringify(text)} is no kind that kubeveil knows: write it as kubectl does, such as cronjobs.batch`,
    );
  } else if (group === '' && NEEDED.has(resource)) {
    context.addIssue(`${JSON.stringify(text)} cannot be denied: a cluster does not work without it`);
  }
});

const reservedId = z.string().superRefine((text, context) => {
  const problem = tenantIdProblem(text);
  if (problem !== undefined && problem !== 'is reserved') context.addIssue(`${JSON.stringify(text)} ${problem}`);
});

/** kube-apiserver's own limit. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** `hooks.example.com`, which means every port, or `hooks.example.com:8443`. */
const webhookHost = z.string().regex(/^(?:\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::[1-9]\d{0,4})?$/, {
  error: 'must be the name of a host in lower case, with a port or without, such as hooks.example.com:8443',
});

/** A number of bytes, or one with Ki or Mi. */
const bytes = z
  .union([z.int().positive(), z.string().regex(/^[1-9]\d{0,9}(?:Ki|Mi)?$/, 'must be bytes, such as 3145728 or 3Mi')], {
    error: 'must be bytes, such as 3145728 or 3Mi',
  })
  .transform((value) => (typeof value === 'number' ? value : parseBytes(value)))
  .refine((value) => value <= MAX_BODY_BYTES, 'must be at most 3Mi, which is what the host takes');

function perSecond(usual: number) {
  return z
    .union([z.int().min(1).max(1_000_000), z.literal('unlimited')], {
      error: 'must be a number from 1 to 1000000, or the word unlimited',
    })
    .default(usual)
    .transform((value) => (value === 'unlimited' ? undefined : value));
}

export const policySchema = z.strictObject({
  apiVersion: z.literal(OWN_API_VERSION),
  kind: z.literal('Policy'),
  profile: z.enum(['restricted', 'baseline', 'trusted']).default('baseline'),
  kinds: z.strictObject({ deny: z.array(deniedKind).default([]) }).prefault({}),
  shared: z
    .strictObject({
      nodes: z.boolean().default(true),
      storageClasses: classes,
      ingressClasses: classes,
      priorityClasses: classes,
      runtimeClasses: classes,
      volumeAttributesClasses: classes,
      deviceClasses: classes,
    })
    .prefault({}),
  limits: z
    .strictObject({
      requestsInFlight: z.int().min(1).max(100_000).default(100),
      requestsInFlightPerUser: z.int().min(1).max(100_000).default(60),
      requestsWaiting: z.int().min(0).max(100_000).default(400),
      requestsPerSecond: perSecond(2_000),
      requestsPerSecondPerUser: perSecond(1_000),
      watches: z.int().min(1).max(1_000_000).default(2_000),
      watchesPerUser: z.int().min(1).max(1_000_000).default(1_000),
      requestBodyBytes: bytes.default(MAX_BODY_BYTES),
      namespaces: z.int().min(1).max(100_000).default(500),
      customResourceDefinitions: z.int().min(0).max(10_000).default(200),
    })
    .prefault({}),
  admission: z
    .strictObject({ webhookHosts: z.array(webhookHost).default([]), controllerObjects: z.boolean().default(false) })
    .prefault({}),
  ...hostSettings,
  rules: ownRules,
  reservedTenantIds: z.array(reservedId).default([]),
  watchSecretsAcrossNamespaces: z.boolean().default(false),
  consistency: z.enum(['linearizable', 'session']).default('linearizable'),
});

export type PolicyFile = z.output<typeof policySchema>;

function parseBytes(text: string): number {
  const factor = text.endsWith('Ki') ? 1024 : text.endsWith('Mi') ? 1024 * 1024 : 1;
  return Number.parseInt(text, 10) * factor;
}
