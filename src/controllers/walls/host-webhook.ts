/**
 * The mutating policies of `deploy/` as a webhook, for hosts whose API server does not run MutatingAdmissionPolicies of
 * version v1: one webhook for each, by the same rules, which asks the proxy. The operator writes the configuration, since
 * whoever may write such rules the host; the proxy looks whether it is there and as it has to be.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import { nameOf } from '../../k8s/meta.ts';
import { child, objects, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { MUTATIONS_OBJECT } from '../../tenancy/host-names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import type { Manifest } from './manifests.ts';
import { says } from './says.ts';

const GROUP_PATH = '/apis/admissionregistration.k8s.io/v1';
export const WEBHOOK_PATH = `${GROUP_PATH}/mutatingwebhookconfigurations/${MUTATIONS_OBJECT}`;

const POLICY = 'MutatingAdmissionPolicy';
const POLICY_KINDS = new Set([POLICY, 'MutatingAdmissionPolicyBinding']);

/** Does the host run such policies itself? @throws {HostError} when it cannot be asked */
export async function runsMutatingPolicies(client: Pick<HostClient, 'get'>): Promise<boolean> {
  const served = objects(await client.get(GROUP_PATH), 'resources');
  return served.some(({ name }) => name === 'mutatingadmissionpolicies');
}

/** True of what hosts that do not run such policies do without. */
export function isMutatingPolicy({ object }: Manifest): boolean {
  return POLICY_KINDS.has(String(object['kind']));
}

/** The policies by name, each with the name of the ClusterRole that it takes parameters from. */
export function mutatingPolicies(manifests: readonly Manifest[]): Map<string, { policy: JsonObject; params?: string }> {
  const all = manifests.map(({ object }) => object);
  const bindings = new Map(
    all
      .filter(({ kind }) => kind === 'MutatingAdmissionPolicyBinding')
      .map((binding) => [text(child(binding, 'spec'), 'policyName'), binding]),
  );
  return new Map(
    all
      .filter(({ kind }) => kind === POLICY)
      .map((policy) => {
        const params = text(child(child(bindings.get(nameOf(policy)), 'spec'), 'paramRef'), 'name');
        return [nameOf(policy), { policy, ...(params === '' ? {} : { params }) }];
      }),
  );
}

/** @param place `clientConfig` for the policy of a name */
export function webhookConfiguration(
  manifests: readonly Manifest[],
  place: (policy: string) => JsonObject,
): JsonObject {
  const policies = [...mutatingPolicies(manifests).values()];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: MUTATIONS_OBJECT },
    webhooks: policies.map(({ policy }) => webhookOf(policy, place(nameOf(policy)))),
  };
}

function webhookOf(policy: JsonObject, clientConfig: JsonObject): JsonObject {
  const spec = child(policy, 'spec');
  const { namespaceSelector, resourceRules } = child(spec, 'matchConstraints') as Record<string, JsonObject>;
  const conditions = objects(spec, 'matchConditions');
  return {
    name: `${nameOf(policy)}.kubeveil.dev`,
    clientConfig,
    rules: resourceRules as unknown as JsonObject,
    namespaceSelector: namespaceSelector as JsonObject,
    ...(conditions.length === 0 ? {} : { matchConditions: conditions }),
    failurePolicy: 'Fail',
    reinvocationPolicy: text(spec, 'reinvocationPolicy'),
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
  };
}

/** The same place for another policy: the last part of the path is its name. */
function placeFor(policy: string, place: JsonObject = {}): JsonObject {
  const renamed = (path: string) => path.replace(/[^/]*$/, policy);
  const { url } = place;
  if (typeof url === 'string') return { ...place, url: renamed(url) };
  return { ...place, service: { ...child(place, 'service'), path: renamed(text(child(place, 'service'), 'path')) } };
}

/**
 * The webhook in the place of policies: as it has to be, and all of it asking at one place, of which `wallsBite` finds out
 * whether the proxy answers there.
 */
export function webhookProblem(stored: JsonObject | undefined, manifests: readonly Manifest[]): string | undefined {
  const what = `${MUTATIONS_OBJECT}, in the place of the mutating policies that this host does not run,`;
  if (stored === undefined) return `the MutatingWebhookConfiguration ${what} is missing`;
  const places = objects(stored, 'webhooks').map((webhook) => child(webhook, 'clientConfig'));
  const wanted = webhookConfiguration(manifests, (policy) => placeFor(policy, places.at(-1)));
  if (says(stored['webhooks'], wanted['webhooks'])) return undefined;
  return `the MutatingWebhookConfiguration ${what} differs from this version`;
}
