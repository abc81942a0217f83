/**
 * `status.typeChecking` of tenants' ValidatingAdmissionPolicies: each generation of a policy is looked at once, and what is
 * wrong with its expressions is written down. What is found is a warning: the policy acts all the same. A check may last,
 * for it has only so much of the process; it ends when its policy is gone or has been changed.
 *
 * @see k8s.io/kubernetes pkg/controller/validatingadmissionpolicystatus/controller.go at v1.36
 */
import type { Informer } from '../../k8s/informer.ts';
import { metadataOf, nameOf, uidOf, versionOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue, type WorkQueue } from '../../lib/work-queue.ts';
import type { TenantRegistry } from '../../ports.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { labelledOwner } from '../host/host-objects.ts';

export interface TypeCheckControllerOptions {
  /** The policies of all tenants, in upstream terms. */
  readonly policies: Pick<Informer, 'subscribe' | 'get'>;
  readonly tenants: Pick<TenantRegistry, 'get'>;
  /** A policy in its tenant's terms; undefined when it is not one of the tenant's. May throw: then likewise. */
  readonly view: (tenant: Tenant, policy: JsonObject) => JsonObject | undefined;
  /** `expressionWarnings` of a policy in its tenant's terms. @param signal ends it: nobody wants to know any more */
  readonly warningsOf: (tenant: Tenant, policy: JsonObject, signal: AbortSignal) => Promise<JsonObject[]>;
  /** @param merge a merge patch; of another revision than it names nothing is written */
  readonly writeStatus: (tenant: Tenant, name: string, merge: JsonObject) => Promise<void>;
  readonly onError: (what: string, error: unknown) => void;
}

export function startTypeCheckController(options: TypeCheckControllerOptions): { stop(): Promise<void> } {
  const { policies, tenants, view, warningsOf, writeStatus, onError } = options;

  /** Checks that are under way, by the upstream name of their policy. */
  const checks = new Map<string, Check>();

  async function warningsUnlessChanged(tenant: Tenant, stored: JsonObject, policy: JsonObject) {
    const check = { of: stored, ending: new AbortController() };
    const { signal } = check.ending;
    checks.set(nameOf(stored), check);
    try {
      const found = await warningsOf(tenant, policy, signal);
      return signal.aborted ? undefined : found;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      checks.delete(nameOf(stored));
    }
  }

  async function settle(key: string): Promise<undefined> {
    const stored = policies.get('', key);
    const owner = stored && labelledOwner(stored);
    const tenant = owner && tenants.get(owner);
    if (stored === undefined || tenant?.phase !== 'Active') return;
    const generation = numberIn(metadataOf(stored)['generation']);
    if (generation <= numberIn(child(stored, 'status')['observedGeneration'])) return;
    const policy = view(tenant, stored);
    if (policy === undefined) return;
    const expressionWarnings = await warningsUnlessChanged(tenant, stored, policy);
    if (expressionWarnings === undefined) return;
    // As what the API server's controller applies comes out: what it had written before, and writes no more, goes as a whole.
    const hadWarnings = child(child(stored, 'status'), 'typeChecking')['expressionWarnings'] !== undefined;
    const nothingFound = hadWarnings ? null : {};
    const typeChecking = expressionWarnings.length === 0 ? nothingFound : { expressionWarnings };
    const metadata = { uid: uidOf(stored), resourceVersion: versionOf(stored) };
    await writeStatus(tenant, nameOf(policy), { metadata, status: { observedGeneration: generation, typeChecking } });
  }

  /** One for each tenant: who has used up what it may use of the process waits, and nobody else does. */
  const queues = new Map<TenantId, WorkQueue>();
  const queueOf = (owner: TenantId): WorkQueue => {
    const found = queues.get(owner);
    if (found !== undefined) return found;
    const queue = createWorkQueue({
      work: settle,
      concurrency: 1,
      onError: (name, error) => onError(`the types in the policy ${name}`, error),
    });
    queues.set(owner, queue);
    return queue;
  };
  const unsubscribe = policies.subscribe(({ type, object }) => {
    const owner = labelledOwner(object);
    if (owner === undefined) return;
    const check = checks.get(nameOf(object));
    if (check !== undefined && (type === 'deleted' || !isSameGeneration(check.of, object))) check.ending.abort();
    if (type !== 'deleted') queueOf(owner).add(nameOf(object));
    else if (tenants.get(owner)?.phase !== 'Active') {
      // It goes, and its policies with it.
      void queues.get(owner)?.stop();
      queues.delete(owner);
    }
  });
  return {
    async stop() {
      unsubscribe();
      await Promise.all([...queues.values()].map((queue) => queue.stop()));
    },
  };
}

interface Check {
  readonly of: JsonObject;
  readonly ending: AbortController;
}

function isSameGeneration(a: JsonObject, b: JsonObject): boolean {
  return uidOf(a) === uidOf(b) && metadataOf(a)['generation'] === metadataOf(b)['generation'];
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
