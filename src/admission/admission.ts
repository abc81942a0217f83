/**
 * Admission by what a tenant has set up itself, run here because nothing of it may act on the host.
 *
 * The order is kube-apiserver's: policies that mutate, webhooks that mutate, policies that validate, webhooks that
 * validate. What nothing speaks of is let through without a look at its object.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { Check } from '../cel/kubernetes/authorizer.ts';
import { ApiError, notSynced } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import { nameOf } from '../k8s/meta.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { CpuShare } from '../lib/cpu-share.ts';
import type { Admission, AdmissionRound, AdmissionSubject, Authorizer, Webhooks } from '../ports.ts';
import { matchResourcesOf, policyMatch, webhookMatch } from './matching.ts';
import { type Mutators, mutate } from './mutation.ts';
import { isExempt } from './rules.ts';
import type { MergeSchema } from './schema.ts';
import type { AdmissionStore } from './store.ts';
import { type BoundPolicy, type MatchedPolicy, validateByPolicies } from './validating-policies.ts';
import { validateByWebhooks } from './validating-webhooks.ts';

export interface AdmissionOptions {
  readonly store: AdmissionStore;
  readonly authorizer: Authorizer;
  readonly share: CpuShare;
  readonly webhooks: Webhooks;
  /** How the fields of the request's kind merge, at an apiVersion; undefined when it is not known. */
  readonly schemaOf: (subject: AdmissionSubject, apiVersion: string) => Promise<MergeSchema | undefined>;
  /** Entries that policies and webhooks make for the audit log. */
  readonly onAnnotation: (subject: AdmissionSubject, key: string, value: string) => void;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { store } = options;
  return (subject) => {
    if (!store.synced) throw notSynced('admission policies');
    if (isExempt(subject)) return undefined;
    const mutating = speaking(store, subject, 'mutating');
    const validating = speaking(store, subject, 'validating');
    if (isNothing(mutating) && isNothing(validating)) return undefined;
    return roundOf(subject, mutating, validating, options);
  };
}

function roundOf(
  subject: AdmissionSubject,
  mutating: Speaking,
  validating: Speaking,
  { authorizer, share, webhooks, schemaOf, onAnnotation }: AdmissionOptions,
): AdmissionRound {
  const warnings: string[] = [];
  const context = {
    subject,
    ask: (check: Check) => decide(authorizer, subject, check),
    share,
    webhooks,
    schema: (apiVersion: string) => schemaOf(subject, apiVersion),
    warn: (text: string) => {
      warnings.push(text);
    },
    annotate: (key: string, value: string) => onAnnotation(subject, key, value),
  };
  /** A refusal warns of what a success would have warned of. */
  const warned = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof ApiError && warnings.length > 0 ? error.warningOf(warnings) : error;
    }
  };
  return {
    mutates: !isNothing(mutating),
    warnings,
    mutate: (object, oldObject, fillIn) => warned(() => mutate(mutating, { object, oldObject, fillIn }, context)),
    validate: (object, oldObject) =>
      warned(async () => {
        const given = { object, oldObject };
        // The name that the server made up is known by now.
        const name = subject.name === '' && object !== undefined ? nameOf(object) : subject.name;
        const named = { ...context, subject: { ...subject, name } };
        await validateByPolicies(validating.policies, { ...named, given });
        await validateByWebhooks(validating.webhooks, given, named);
      }),
  };
}

/** What speaks of a request by its rules. */
type Speaking = Mutators;

function isNothing({ policies, webhooks }: Speaking): boolean {
  return policies.length === 0 && webhooks.length === 0;
}

function speaking(store: AdmissionStore, subject: AdmissionSubject, sort: 'mutating' | 'validating'): Speaking {
  const { id } = subject.tenant;
  // Policies change no connection and no deletion.
  const isMeant = sort === 'validating' || subject.operation === 'CREATE' || subject.operation === 'UPDATE';
  return {
    policies: isMeant ? store.policies(id, sort).flatMap((policy) => matchedPolicy(policy, subject)) : [],
    webhooks: store.webhooks(id, sort).flatMap((hook) => {
      const match = webhookMatch(hook.webhook, subject);
      return match === undefined ? [] : [{ ...hook, ...match }];
    }),
  };
}

/** The policy with those of its bindings whose rules speak of the request. */
function matchedPolicy({ policy, bindings }: BoundPolicy, subject: AdmissionSubject): MatchedPolicy[] {
  const match = policyMatch(matchResourcesOf(policy, 'matchConstraints'), subject);
  if (match === undefined) return [];
  const own = bindings.filter((one) => policyMatch(matchResourcesOf(one, 'matchResources'), subject) !== undefined);
  return own.length === 0 ? [] : [{ policy, bindings: own, ...match }];
}

function decide(authorizer: Authorizer, { tenant, identity }: AdmissionSubject, check: Check) {
  const who = check.serviceAccount === undefined ? identity : accountIdentity(check.serviceAccount);
  const { allowed, reason } = authorizer.decide(tenant, who, attributesOf(check));
  return { allowed, reason, error: '' };
}

function attributesOf(check: Check): Attributes {
  const { verb, path, group, resource, subresource, namespace, name } = check;
  if (path !== undefined) return { isResource: false, verb, path };
  return { isResource: true, verb, group, resource, subresource, namespace, name };
}

function accountIdentity({ namespace, name }: { namespace: string; name: string }): Identity {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    uid: '',
    extra: {},
  };
}
