/**
 * What kube-apiserver refuses in a ClusterRole or ClusterRoleBinding and no schema can say, in its own words and order.
 * Fields of a wrong type read as empty here: the schema refuses them upstream.
 *
 * @see k8s.io/kubernetes pkg/apis/rbac/validation/validation.go at v1.36
 */
import { type FieldProblem, invalidValue, notSupported, required } from '../k8s/field-problems.ts';
import { DNS_SUBDOMAIN, PATH_SEGMENT } from '../k8s/name-rules.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { list } from './field-checks.ts';
import { selectorProblems } from './label-selector.ts';
import type { OwnKind } from './own-kind.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export const RBAC_KINDS: readonly OwnKind[] = [
  {
    group: RBAC_GROUP,
    resource: 'clusterroles',
    kind: 'ClusterRole',
    problems: clusterRoleProblems,
    unconditionalUpdate: true,
  },
  {
    group: RBAC_GROUP,
    resource: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    problems: clusterRoleBindingProblems,
    defaults: bindingDefaults,
    unconditionalUpdate: true,
  },
];

function clusterRoleProblems(role: JsonObject): FieldProblem[] {
  const problems = list(role, 'rules').flatMap((rule, at) => ruleProblems(rule, `rules[${at}]`));
  const aggregation = role['aggregationRule'];
  if (!isObject(aggregation)) return problems;
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = list(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    problems.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  return [...problems, ...selectors.flatMap((selector, at) => roleSelectorProblems(selector, `${path}[${at}]`))];
}

/** @param previous the binding as stored, on an update: its role can never change */
function clusterRoleBindingProblems(binding: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  // The native kind fills in the group even where there is no reference.
  const roleRef = isObject(binding['roleRef']) ? binding['roleRef'] : { apiGroup: RBAC_GROUP };
  const [group, kind, name] = [text(roleRef, 'apiGroup'), text(roleRef, 'kind'), text(roleRef, 'name')];
  const problems: FieldProblem[] = [];
  if (group !== RBAC_GROUP) problems.push(notSupported('roleRef.apiGroup', group, [RBAC_GROUP]));
  if (kind !== 'ClusterRole') problems.push(notSupported('roleRef.kind', kind, ['ClusterRole']));
  const nameProblem = PATH_SEGMENT.problem(name);
  if (name === '') problems.push(required('roleRef.name'));
  else if (nameProblem !== undefined) problems.push(invalidValue('roleRef.name', name, nameProblem));
  problems.push(...list(binding, 'subjects').flatMap((subject, at) => subjectProblems(subject, `subjects[${at}]`)));
  if (previous !== undefined && !sameRole(roleRef, child(previous, 'roleRef'))) {
    const shown = { APIGroup: group, Kind: kind, Name: name };
    problems.push(invalidValue('roleRef', shown, 'cannot change roleRef'));
  }
  return problems;
}

function ruleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const [urls, groups, resources, names] = [
    rule['nonResourceURLs'],
    rule['apiGroups'],
    rule['resources'],
    rule['resourceNames'],
  ].map((value) => (Array.isArray(value) ? value : []));
  if (!filled(rule['verbs'])) problems.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  if (filled(urls)) {
    if (filled(groups) || filled(resources) || filled(names)) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      problems.push(invalidValue(`${path}.nonResourceURLs`, urls ?? [], detail));
    }
    return problems;
  }
  if (!filled(groups)) {
    problems.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!filled(resources)) {
    problems.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return problems;
}

function subjectProblems(subject: JsonObject, path: string): FieldProblem[] {
  const [kind, name, group] = [text(subject, 'kind'), text(subject, 'name'), text(subject, 'apiGroup')];
  const problems: FieldProblem[] = name === '' ? [required(`${path}.name`)] : [];
  if (kind === 'ServiceAccount') {
    const nameProblem = name === '' ? undefined : DNS_SUBDOMAIN.problem(name);
    if (nameProblem !== undefined) problems.push(invalidValue(`${path}.name`, name, nameProblem));
    if (group !== '') problems.push(notSupported(`${path}.apiGroup`, group, ['']));
    if (text(subject, 'namespace') === '') problems.push(required(`${path}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== RBAC_GROUP) problems.push(notSupported(`${path}.apiGroup`, group, [RBAC_GROUP]));
  } else problems.push(notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  return problems;
}

function roleSelectorProblems(selector: JsonObject, path: string): FieldProblem[] {
  const problems = selectorProblems(selector, path);
  // What cannot be made a selector at all is said once more.
  return problems.length > 0 ? [...problems, invalidValue(path, null, 'invalid label selector.')] : [];
}

function sameRole(one: JsonObject, other: JsonObject): boolean {
  return ['apiGroup', 'kind', 'name'].every((field) => text(one, field) === text(other, field));
}

function filled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function bindingDefaults(binding: JsonObject): void {
  const { roleRef, subjects } = binding;
  if (isObject(roleRef)) withGroup(roleRef);
  for (const subject of Array.isArray(subjects) ? subjects : []) {
    if (isObject(subject) && (subject['kind'] === 'User' || subject['kind'] === 'Group')) withGroup(subject);
  }
}

function withGroup(reference: JsonObject): void {
  if (reference['apiGroup'] === undefined || reference['apiGroup'] === '') reference['apiGroup'] = RBAC_GROUP;
}
