/**
 * Are the walls of `deploy/` on the host, unchanged, and do they bite? Compared with the manifests of this version: a
 * policy that somebody loosened is as bad as one that is not there.
 */

import { nameOf } from '../../k8s/meta.ts';
import { child, objects } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { PROXY_NAMESPACE, RULES_POLICY } from '../../tenancy/host-names.ts';
import { type HostClient, HostError } from '../../upstream/host-client.ts';
import { isMutatingPolicy, runsMutatingPolicies, WEBHOOK_PATH, webhookProblem } from './host-webhook.ts';
import type { Manifest } from './manifests.ts';
import { idlePlugins } from './plugins.ts';
import { says } from './says.ts';

const WALL_KINDS = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'CustomResourceDefinition',
]);

/** Of the probe's refusal. */
const MET = 'pods are met';

/** What is missing or changed, in words; empty when all walls stand. @throws {HostError} when the host cannot be asked */
export async function findMissingWalls(client: HostClient, manifests: readonly Manifest[]): Promise<string[]> {
  const runsAll = await runsMutatingPolicies(client);
  const walls = manifests.filter(
    (one) => WALL_KINDS.has(String(one.object['kind'])) && (runsAll || !isMutatingPolicy(one)),
  );
  const found = await Promise.all(
    walls.map(async ({ path, object, file }) => {
      const problem = problemOf(object, await client.get(path));
      return problem === undefined ? undefined : `${object['kind']} ${nameOf(object)} (${file}) ${problem}`;
    }),
  );
  const problems = found.filter((problem) => problem !== undefined);
  if (problems.length > 0) return problems;
  if (!runsAll) {
    const problem = webhookProblem(await client.get(WEBHOOK_PATH), manifests);
    if (problem !== undefined) return [problem];
  }
  if (!(await wallsBite(client))) return ['the policies are stored but do not act yet'];
  return await idlePlugins(client);
}

/**
 * True when the API server refuses what the last of the policies refuses, and says that the last of those that change
 * objects has changed it. Nothing is written either way.
 */
export async function wallsBite(client: HostClient): Promise<boolean> {
  const probe = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeveil-wall-probe', namespace: PROXY_NAMESPACE },
  };
  try {
    await client.create(`/api/v1/namespaces/${PROXY_NAMESPACE}/configmaps`, probe, [['dryRun', 'All']]);
    return false;
  } catch (error) {
    if (error instanceof HostError && error.message.includes('kubeveil-probe')) return error.message.includes(MET);
    throw error;
  }
}

function problemOf(wanted: JsonObject, stored: JsonObject | undefined): string | undefined {
  if (stored === undefined) return 'is missing';
  if (wanted['kind'] === 'CustomResourceDefinition') {
    if (!isEstablished(stored)) return 'is not established yet';
    return says(stored['spec'], wanted['spec'], () => true) ? undefined : 'differs from this version';
  }
  // What stands in it follows from the policy files, and is the rules controller's to keep.
  if (wanted['kind'] === 'ValidatingAdmissionPolicy' && nameOf(wanted) === RULES_POLICY) return undefined;
  return says(stored['spec'], wanted['spec']) ? undefined : 'differs from this version';
}

export function isEstablished(definition: JsonObject): boolean {
  const conditions = objects(child(definition, 'status'), 'conditions');
  return conditions.some(({ type, status: state }) => type === 'Established' && state === 'True');
}
