/**
 * Which requests an admission webhook or policy is for: operations, groups, versions, resources.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go (validateRuleWithOperations) at v1.36
 */
import { duplicate, type FieldProblem, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { PATH_SEGMENT } from '../../k8s/name-rules.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { nameFaults, wordFaults, words } from '../field-checks.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
/** What a mutating policy cannot be for: there is nothing left to change. */
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** A rule of a webhook. */
export function ruleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const operations = words(rule, 'operations');
  const problems: FieldProblem[] = [];
  if (operations.length === 0) problems.push(required(`${path}.operations`));
  problems.push(...aloneProblems(operations, `${path}.operations`, 'operations'));
  operations.forEach((operation, at) => {
    if (!OPERATIONS.includes(operation))
      problems.push(notSupported(`${path}.operations[${at}]`, operation, OPERATIONS));
  });
  const groups = words(rule, 'apiGroups');
  if (groups.length === 0) problems.push(required(`${path}.apiGroups`));
  problems.push(...aloneProblems(groups, `${path}.apiGroups`, 'API groups'));
  const versions = words(rule, 'apiVersions');
  if (versions.length === 0) problems.push(required(`${path}.apiVersions`));
  problems.push(...aloneProblems(versions, `${path}.apiVersions`, 'API versions'));
  versions.forEach((version, at) => {
    if (version === '') problems.push(required(`${path}.apiVersions[${at}]`));
  });
  problems.push(...resourceProblems(words(rule, 'resources'), `${path}.resources`));
  problems.push(...wordFaults(`${path}.scope`, rule['scope'], SCOPES));
  return problems;
}

/** A rule of a policy, which may also name objects. */
export function namedRuleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const names = words(rule, 'resourceNames');
  const fieldOf = (at: number) => `${path}.resourceNames[${at}]`;
  return [
    ...names.flatMap((name, at) => [
      ...nameFaults(fieldOf(at), name, PATH_SEGMENT),
      ...(names.indexOf(name) < at ? [duplicate(fieldOf(at), name)] : []),
    ]),
    ...ruleProblems(rule, path),
  ];
}

/** @param path of the rules, without their places, as kube-apiserver says it */
export function mutatingOperationProblems(rules: readonly JsonObject[], path: string): FieldProblem[] {
  return rules
    .flatMap((rule) => words(rule, 'operations'))
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => notSupported(`${path}.operations`, operation, MUTATING_OPERATIONS));
}

function aloneProblems(entries: readonly string[], field: string, what: string): FieldProblem[] {
  if (entries.length < 2 || !entries.includes('*')) return [];
  return [invalidValue(field, [...entries], `if '*' is present, must not specify other ${what}`)];
}

/** `pods`, `pods/status`, `pods/*`, `*` + `/scale`: none may say again what another says already. */
function resourceProblems(resources: readonly string[], field: string): FieldProblem[] {
  const problems: FieldProblem[] = resources.length === 0 ? [required(field)] : [];
  const allSubresourcesOf = new Set<string>();
  const inAllResources = new Set<string>();
  let hasPlain = false;
  resources.forEach((resource, at) => {
    if (resource === '') {
      problems.push(required(`${field}[${at}]`));
      return;
    }
    const slash = resource.indexOf('/');
    if (slash < 0) {
      hasPlain = resource !== '*';
      return;
    }
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const refuse = (present: string) =>
      problems.push(
        invalidValue(`${field}[${at}]`, resource, `if '${present}' is present, must not specify ${resource}`),
      );
    if (allSubresourcesOf.has(name)) refuse(`${name}/*`);
    if (inAllResources.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === '*') allSubresourcesOf.add(name);
    if (name === '*') inAllResources.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    problems.push(invalidValue(field, [...resources], "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    problems.push(invalidValue(field, [...resources], detail));
  }
  return problems;
}
