/**
 * Keeps the host's policy with the rules of the policy files (`deploy/66-policy-rules.yaml`) as the files say: when they
 * change, and when somebody has written something else. One that is not there is a wall that is missing, and not made here.
 *
 * Rules that the host refuses leave those from before in force, as a policy file that cannot be read leaves the one before;
 * tried again and again, and each time said. Replicas with different files, as during a rollout, write in turn.
 */
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import { RULES_POLICY } from '../../tenancy/host-names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';

const PATH = `${PATHS.validatingPolicies}/${RULES_POLICY}`;
/** It is read, not followed: a watch would be of all policies of the host. */
const LOOK_AGAIN_MS = 10_000;

export interface RulesPolicyOptions {
  readonly client: Pick<HostClient, 'get' | 'patch'>;
  /** The spec, as the files say now. */
  readonly rulesPolicy: () => JsonObject;
  readonly onError: (what: string, error: unknown) => void;
  readonly lookAgainMs?: number;
}

export function keepRulesPolicy(options: RulesPolicyOptions): { lookAgain(): void; stop(): Promise<void> } {
  const { client, rulesPolicy, onError, lookAgainMs = LOOK_AGAIN_MS } = options;

  async function work(): Promise<number> {
    const wanted = rulesPolicy();
    const stored = await client.get(PATH);
    if (stored !== undefined && !sameJson(stored['spec'], wanted)) {
      // The whole of it: what somebody added by hand goes.
      await client.patch(PATH, [{ op: 'replace', path: '/spec', value: wanted }]);
    }
    return lookAgainMs;
  }

  const queue = createWorkQueue({
    work,
    concurrency: 1,
    onError: (_key, error) => onError('writing the rules of the policy files; those from before hold meanwhile', error),
  });
  const lookAgain = (): void => queue.add('rules');
  lookAgain();
  return { lookAgain, stop: () => queue.stop() };
}
