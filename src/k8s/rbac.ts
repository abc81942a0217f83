/**
 * What RBAC asks and answers: the attributes of a request, a rule, a decision.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 * @see k8s.io/apiserver pkg/authorization/authorizer/interfaces.go at v0.36
 */

/** Members may do everything in their tenant, whatever its roles say, so that nobody can lock a tenant for good. */
export const MASTERS = 'system:masters';

/** What a request asks for, in the tenant's terms, as RBAC sees it. An empty string means "none". */
export type Attributes =
  | {
      readonly isResource: true;
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      /** Also the value of `metadata.name=` of a list or watch. */
      readonly name: string;
    }
  | { readonly isResource: false; readonly verb: string; readonly path: string };

/** `rbac/v1 PolicyRule`; lists that are absent are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** How many things a rule names. */
export function sizeOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  return verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;
}

/** What a role grants: the very same list for each binding of it, of which there may be thousands. */
export type GrantedRules = readonly { readonly rule: PolicyRule }[];

export interface Decision {
  readonly allowed: boolean;
  /** As kube-apiserver words it: which binding allowed, or which role was missing; often ''. */
  readonly reason: string;
}
