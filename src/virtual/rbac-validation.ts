/**
 * What kube-apiserver refuses in a ClusterRole or ClusterRoleBinding and no schema can say, in its own words and order.
 * Fields of a wrong type read as empty here: the schema refuses them upstream.
 *
 * @see k8s.io/kubernetes pkg/apis/rbac/validation/validation.go at v1.36
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation/validation.go at v0.36
 */
import { type FieldProblem, forbiddenField, invalidValue, notSupported, required } from '../k8s/field-problems.ts';
import { DNS_SUBDOMAIN, labelKeyProblem, labelValueProblem, PATH_SEGMENT } from '../k8s/name-rules.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export function clusterRoleProblems(role: JsonObject): FieldProblem[] {
  const problems = list(role, 'rules').flatMap((rule, at) => ruleProblems(rule, `rules[${at}]`));
  const aggregation = role['aggregationRule'];
  if (!isObject(aggregation)) return problems;
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = list(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    problems.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  return [...problems, ...selectors.flatMap((selector, at) => selectorProblems(selector, `${path}[${at}]`))];
}

/** @param previous the binding as stored, on an update: its role can never change */
export function clusterRoleBindingProblems(binding: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
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

function selectorProblems(selector: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(child(selector, 'matchLabels'))) {
    const keyProblem = labelKeyProblem(key);
    if (keyProblem !== undefined) problems.push(invalidValue(`${path}.matchLabels`, key, keyProblem));
    const valueProblem = labelValueProblem(word(value));
    if (valueProblem !== undefined) problems.push(invalidValue(`${path}.matchLabels`, word(value), valueProblem));
  }
  list(selector, 'matchExpressions').forEach((expression, at) => {
    problems.push(...expressionProblems(expression, `${path}.matchExpressions[${at}]`));
  });
  // What cannot be made a selector at all is said once more.
  if (problems.length > 0) problems.push(invalidValue(path, null, 'invalid label selector.'));
  return problems;
}

function expressionProblems(expression: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const operator = text(expression, 'operator');
  const values = Array.isArray(expression['values']) ? expression['values'] : [];
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) problems.push(required(`${path}.values`, detail));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) problems.push(forbiddenField(`${path}.values`, detail));
  } else problems.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
  const keyProblem = labelKeyProblem(text(expression, 'key'));
  if (keyProblem !== undefined) problems.push(invalidValue(`${path}.key`, text(expression, 'key'), keyProblem));
  values.forEach((value, at) => {
    const problem = labelValueProblem(word(value));
    if (problem !== undefined) problems.push(invalidValue(`${path}.values[${at}]`, word(value), problem));
  });
  return problems;
}

function sameRole(one: JsonObject, other: JsonObject): boolean {
  return ['apiGroup', 'kind', 'name'].every((field) => text(one, field) === text(other, field));
}

function filled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The list at `key`, each entry at its place: what is no object is an empty one, as the native kind would read it. */
function list(object: JsonObject, key: string): JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

function word(value: JsonValue): string {
  return typeof value === 'string' ? value : '';
}
