/**
 * Writes the manifests of `deploy/` that follow from the table of kinds: what tenants, the data path and the reader may
 * do on the host. Run it after a change of the table: `node test/tools/manifests.ts`. `test/architecture/manifests.test.ts`
 * fails while a committed file differs from what this would write.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import {
  guardRules,
  type HostRule,
  readerRules,
  readerSecretRules,
  tenantClusterRules,
  trustedClusterRules,
  trustedResources,
} from '../../src/kinds/guard-rules.ts';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

const GENERATED = '# Generated from the table of kinds by test/tools/manifests.ts. Change the table, not this file.\n';
const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
/** Checked by RBAC on a write of roles; no request has them as its verb. */
const NOT_REQUESTS = new Set(['bind', 'escalate']);

/** File name in `deploy/` -> its whole text. */
export function generatedManifests(): Map<string, string> {
  return new Map([
    [
      '31-rbac-tenants.yaml',
      file(
        [
          '# kubeveil:guard is bound to a tenant in each of its namespaces, by the provisioner. kubeveil:tenant-cluster lets',
          '# tenants write cluster-scoped kinds, without reading them; 51-wall-cluster-scoped.yaml keeps each to its own names.',
          '# kubeveil:trusted is what trusted tenants hold besides: the classes and volumes of their own, and what the status of',
          '# a ResourceClaim needs.',
          '# kubeveil:impersonation-verbs is what the data path may do under a name that it impersonates: the same, no more.',
        ],
        clusterRole('kubeveil:guard', guardRules()),
        clusterRole('kubeveil:tenant-cluster', tenantClusterRules()),
        binding('kubeveil:tenant-cluster', { kind: 'Group', name: 'kubeveil:tenants', apiGroup: RBAC }),
        clusterRole('kubeveil:trusted', trustedClusterRules()),
        binding('kubeveil:trusted', { kind: 'Group', name: 'kubeveil:trusted', apiGroup: RBAC }),
        clusterRole('kubeveil:impersonation-verbs', impersonationVerbs()),
        binding('kubeveil:impersonation-verbs', account('kubeveil-datapath')),
      ),
    ],
    [
      '32-rbac-reader.yaml',
      file(
        ['# What the reader may read, on the whole host. It writes nothing; a review is a question.'],
        clusterRole('kubeveil:reader', readerRules()),
        binding('kubeveil:reader', account('kubeveil-reader')),
      ),
    ],
    [
      '33-rbac-reader-secrets.yaml',
      file(
        [
          "# Secrets, for a tenant's `get secrets --all-namespaces`, list and watch. A host that does not want the reader to see",
          '# Secrets leaves this file out; tenants then read Secrets one namespace at a time. RBAC has no exceptions: with this,',
          '# the reader could read the keys in kubeveil-system too.',
        ],
        clusterRole('kubeveil:reader-secrets', readerSecretRules()),
        binding('kubeveil:reader-secrets', account('kubeveil-reader')),
      ),
    ],
    [
      '58-wall-trusted.yaml',
      file(
        [
          '# Wall: what only tenants under the profile `trusted` write. The guard is one for all tenants; requests of trusted',
          '# ones run in the group kubeveil:trusted besides.',
        ],
        ...trustedWall(),
      ),
    ],
  ]);
}

function trustedWall(): object[] {
  const metadata = { name: 'kubeveil-trusted' };
  const resourceRules = [...trustedResources()].map(([group, resources]) => ({
    apiGroups: [group],
    apiVersions: ['*'],
    resources,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
  }));
  const validation = {
    expression: "'kubeveil:trusted' in request.userInfo.groups",
    reason: 'Forbidden',
    message: 'only tenants under the profile trusted write this',
  };
  return [
    {
      apiVersion: `${ADMISSION}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules },
        matchConditions: [{ name: 'by-tenant', expression: "'kubeveil:tenants' in request.userInfo.groups" }],
        validations: [validation],
      },
    },
    {
      apiVersion: `${ADMISSION}/v1`,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: 'kubeveil-trusted', validationActions: ['Deny'] },
    },
  ];
}

/** The rules for `impersonate-on`: as tenants' own, and the review by which the provisioner proves a guard. */
function impersonationVerbs(): HostRule[] {
  const rules = [...guardRules(), ...tenantClusterRules(), ...trustedClusterRules()].flatMap((rule) => {
    if (!('apiGroups' in rule)) return [];
    const verbs = rule.verbs.filter((verb) => !NOT_REQUESTS.has(verb));
    return verbs.length === 0 ? [] : [{ ...rule, verbs: verbs.map((verb) => `impersonate-on:user-info:${verb}`) }];
  });
  return [
    ...rules,
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews'],
      verbs: ['impersonate-on:user-info:create'],
    },
  ];
}

function clusterRole(name: string, rules: readonly HostRule[]): object {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(name: string, subject: object): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [subject],
  };
}

function account(name: string): object {
  return { kind: 'ServiceAccount', name, namespace: 'kubeveil-system' };
}

function file(head: readonly string[], ...objects: readonly object[]): string {
  const documents = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  return `${head.join('\n')}\n${GENERATED}${documents.join('---\n')}`;
}

if (import.meta.main) {
  for (const [name, text] of generatedManifests()) writeFileSync(`${DEPLOY}${name}`, text);
}
