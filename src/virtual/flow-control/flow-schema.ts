/**
 * What kube-apiserver refuses in a FlowSchema, in its own words and order.
 *
 * @see k8s.io/kubernetes pkg/apis/flowcontrol/validation/validation.go at v1.36
 */
import {
  duplicate,
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../k8s/field-problems.ts';
import { nameOf } from '../../k8s/meta.ts';
import { DNS_LABEL, DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, list, nameFaults, number, requiredName, words } from '../field-checks.ts';
import { fixedSchemaProblems } from './fixed.ts';

const DEFAULT_PRECEDENCE = 1000;
const MAX_PRECEDENCE = 10_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
/** Field of a subject -> its kind, in the order in which the API server looks at them. */
const SUBJECT_FIELDS = [
  ['serviceAccount', 'ServiceAccount'],
  ['user', 'User'],
  ['group', 'Group'],
] as const;

export function flowSchemaProblems(schema: JsonObject): FieldProblem[] {
  const spec = child(schema, 'spec');
  const precedence = number(spec, 'matchingPrecedence') ?? DEFAULT_PRECEDENCE;
  const field = 'spec.matchingPrecedence';
  const problems: FieldProblem[] = [];
  if (precedence <= 0) problems.push(invalidValue(field, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) {
    problems.push(invalidValue(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  }
  if (precedence === 1 && nameOf(schema) !== 'exempt') {
    problems.push(invalidValue(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  const distinguisher = child(spec, 'distinguisherMethod');
  if (isSet(spec, 'distinguisherMethod') && !DISTINGUISHERS.includes(text(distinguisher, 'type'))) {
    const shown = { Type: text(distinguisher, 'type') };
    problems.push(notSupported('spec.distinguisherMethod.type', shown, DISTINGUISHERS));
  }
  const level = text(child(spec, 'priorityLevelConfiguration'), 'name');
  const levelField = 'spec.priorityLevelConfiguration.name';
  if (level === '') problems.push(required(levelField, 'must reference a priority level'));
  else problems.push(...nameFaults(levelField, level, DNS_SUBDOMAIN));
  return [
    ...problems,
    ...list(spec, 'rules').flatMap((rule, at) => ruleProblems(rule, `spec.rules[${at}]`)),
    ...fixedSchemaProblems(schema),
    ...flowConditionProblems(schema),
  ];
}

/** Of the status of both kinds of the group. */
export function flowConditionProblems(object: JsonObject): FieldProblem[] {
  const conditions = list(child(object, 'status'), 'conditions');
  const types = conditions.map((condition) => text(condition, 'type'));
  return types.flatMap((type, at) => [
    ...(types.indexOf(type) < at ? [duplicate(`status.conditions[${at}].type`, type)] : []),
    ...(type === '' ? [required(`status.conditions[${at}].type`)] : []),
  ]);
}

function ruleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const subjects = list(rule, 'subjects');
  const [resources, others] = [list(rule, 'resourceRules'), list(rule, 'nonResourceRules')];
  const problems = subjects.flatMap((subject, at) => subjectProblems(subject, `${path}.subjects[${at}]`));
  if (subjects.length === 0) problems.push(required(`${path}.subjects`, 'subjects must contain at least one value'));
  if (resources.length === 0 && others.length === 0) {
    problems.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  return [
    ...problems,
    ...resources.flatMap((one, at) => resourceRuleProblems(one, `${path}.resourceRules[${at}]`)),
    ...others.flatMap((one, at) => urlRuleProblems(one, `${path}.nonResourceRules[${at}]`)),
  ];
}

function subjectProblems(subject: JsonObject, path: string): FieldProblem[] {
  const kind = text(subject, 'kind');
  const own = SUBJECT_FIELDS.find(([, one]) => one === kind);
  if (own === undefined) return [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  const [field] = own;
  const named = child(subject, field);
  const problems = isSet(subject, field)
    ? namedSubjectProblems(named, kind, `${path}.${field}`)
    : [required(`${path}.${field}`, `${field} is required when subject kind is '${kind}'`)];
  for (const [other, otherKind] of SUBJECT_FIELDS) {
    if (other === field || !isSet(subject, other)) continue;
    problems.push(forbiddenField(`${path}.${other}`, `${other} is forbidden when subject kind is not '${otherKind}'`));
  }
  return problems;
}

function namedSubjectProblems(subject: JsonObject, kind: string, path: string): FieldProblem[] {
  const name = text(subject, 'name');
  if (kind !== 'ServiceAccount') return name === '' ? [required(`${path}.name`)] : [];
  const namespace = text(subject, 'namespace');
  return [
    ...(name === '*' ? [] : requiredName(`${path}.name`, name, DNS_SUBDOMAIN)),
    ...(namespace === ''
      ? [required(`${path}.namespace`, 'must specify namespace for service account')]
      : nameFaults(`${path}.namespace`, namespace, DNS_LABEL)),
  ];
}

function resourceRuleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const rules = 'resource rules must supply at least one';
  const namespaces = words(rule, 'namespaces');
  const field = `${path}.namespaces`;
  const problems = [
    ...verbProblems(rule, path),
    ...listProblems(rule, path, 'apiGroups', `${rules} api group`, 'api groups'),
    ...listProblems(rule, path, 'resources', `${rules} resource`, 'resources'),
  ];
  if (namespaces.length === 0 && rule['clusterScope'] !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    problems.push(required(field, detail));
  } else if (namespaces.includes('*')) problems.push(...aloneProblems(namespaces, field, 'namespaces'));
  else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; ";
    problems.push(
      ...namespaces.flatMap((name, at) =>
        nameFaults(`${field}[${at}]`, name, DNS_LABEL).map(({ message, ...fault }) => {
          const [value, detail] = splitDetail(message);
          return { ...fault, message: `${value}: ${intro}${detail}` };
        }),
      ),
    );
  }
  return problems;
}

/** `Invalid value: "x": what is wrong` */
function splitDetail(message: string): [value: string, detail: string] {
  const [, value = '', detail = ''] = /^(Invalid value: "(?:[^"\\]|\\.)*"): (.*)$/s.exec(message) ?? [];
  return [value, detail];
}

function urlRuleProblems(rule: JsonObject, path: string): FieldProblem[] {
  const urls = words(rule, 'nonResourceURLs');
  const field = `${path}.nonResourceURLs`;
  const problems = verbProblems(rule, path);
  if (urls.length === 0) return [...problems, required(field, 'nonResourceURLs must contain at least one value')];
  if (urls.includes('*')) return [...problems, ...aloneProblems(urls, field, 'non-resource URLs')];
  return problems.concat(
    urls.flatMap((url, at) => {
      const why = urlProblem(url);
      return why === undefined ? [] : [invalidValue(`${field}[${at}]`, url, why)];
    }),
  );
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function verbProblems(rule: JsonObject, path: string): FieldProblem[] {
  const verbs = words(rule, 'verbs');
  const field = `${path}.verbs`;
  if (verbs.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return aloneProblems(verbs, field, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, verbs, VERBS)];
}

function listProblems(rule: JsonObject, path: string, key: string, detail: string, what: string): FieldProblem[] {
  const entries = words(rule, key);
  if (entries.length === 0) return [required(`${path}.${key}`, detail)];
  return entries.includes('*') ? aloneProblems(entries, `${path}.${key}`, what) : [];
}

function aloneProblems(entries: readonly string[], field: string, what: string): FieldProblem[] {
  if (entries.length < 2) return [];
  return [invalidValue(field, [...entries], `if '*' is present, must not specify other ${what}`)];
}
