/**
 * Admission by what a tenant has set up itself, run here because nothing of it may act on the host.
 *
 * The order is kube-apiserver's: what mutates first, in the order of names, then what validates. What nothing speaks of
 * is let through without a look at its object.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { Check } from '../cel/kubernetes/authorizer.ts';
import { ApiError, notSynced } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { Admission, AdmissionRound, AdmissionSubject, Authorizer } from '../ports.ts';
import type { CpuShare } from './cpu-share.ts';
import { matchResourcesOf, rulesMatch } from './matching.ts';
import { mutateByPolicies } from './mutating-policies.ts';
import { isExempt } from './rules.ts';
import type { MergeSchema } from './schema.ts';
import type { AdmissionStore } from './store.ts';
import { type BoundPolicy, type ValidationContext, validateByPolicies } from './validating-policies.ts';

export interface AdmissionOptions {
  readonly store: AdmissionStore;
  readonly authorizer: Authorizer;
  readonly share: CpuShare;
  /** How the fields of a kind merge; undefined when it is not known. */
  readonly schemaOf: (subject: AdmissionSubject) => Promise<MergeSchema | undefined>;
  /** Entries that policies make for the audit log. */
  readonly onAnnotation: (subject: AdmissionSubject, key: string, value: string) => void;
}

export function createAdmission({ store, authorizer, share, schemaOf, onAnnotation }: AdmissionOptions): Admission {
  return (subject) => {
    if (!store.synced) throw notSynced('admission policies');
    if (isExempt(subject)) return undefined;
    const mutating =
      subject.operation === 'CONNECT' ? [] : speaking(store.policies(subject.tenant.id, 'mutating'), subject);
    const validating = speaking(store.policies(subject.tenant.id, 'validating'), subject);
    if (mutating.length === 0 && validating.length === 0) return undefined;
    return roundOf({ subject, mutating, validating });
  };

  function roundOf({ subject, mutating, validating }: Speaking): AdmissionRound {
    const warnings: string[] = [];
    const ask = (check: Check) => decide(authorizer, subject, check);
    return {
      mutates: mutating.length > 0 && subject.operation !== 'DELETE',
      warnings,
      async mutate(object, oldObject) {
        const schema = () => schemaOf(subject);
        return await mutateByPolicies(mutating, object, {
          subject,
          oldObject,
          ask,
          share,
          schema,
          isReinvocation: false,
        });
      },
      async validate(object, oldObject) {
        const context: ValidationContext = {
          subject,
          given: { object, oldObject },
          ask,
          share,
          warn: (text) => warnings.push(text),
          annotate: (key, value) => onAnnotation(subject, key, value),
        };
        await validateByPolicies(validating, context).catch((error: unknown) => {
          throw error instanceof ApiError && warnings.length > 0 ? error.warningOf(warnings) : error;
        });
      },
    };
  }
}

interface Speaking {
  readonly subject: AdmissionSubject;
  readonly mutating: readonly BoundPolicy[];
  readonly validating: readonly BoundPolicy[];
}

/** Policies and bindings whose rules speak of the request. */
function speaking(policies: readonly BoundPolicy[], subject: AdmissionSubject): BoundPolicy[] {
  return policies.flatMap(({ policy, bindings }) => {
    if (!rulesMatch(matchResourcesOf(policy, 'matchConstraints'), subject)) return [];
    const own = bindings.filter((binding) => rulesMatch(matchResourcesOf(binding, 'matchResources'), subject));
    return own.length === 0 ? [] : [{ policy, bindings: own }];
  });
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
