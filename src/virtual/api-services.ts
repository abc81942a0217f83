/**
 * APIServices: what kube-apiserver refuses in one, in its own words and order, and how one is printed.
 * @see k8s.io/kube-aggregator pkg/apis/apiregistration/validation/validation.go at v0.36
 */
import { type FieldProblem, invalidValue, notSupported, required } from '../k8s/field-problems.ts';
import { nameOf } from '../k8s/meta.ts';
import { DNS_1035_LABEL, DNS_SUBDOMAIN } from '../k8s/name-rules.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import { age, type CellsByKind } from './cells.ts';
import { isSet, list, nameFaults, number } from './field-checks.ts';
import type { OwnKind } from './own-kind.ts';

const GROUP = 'apiregistration.k8s.io';
const STATUSES = ['True', 'False', 'Unknown'];
const PORT = 'port is not valid: must be between 1 and 65535, inclusive';

export const API_SERVICE_KINDS: readonly OwnKind[] = [
  {
    group: GROUP,
    resource: 'apiservices',
    kind: 'APIService',
    unconditionalUpdate: false,
    problems: apiServiceProblems,
    statusProblems,
  },
];

export const API_SERVICE_CELLS: CellsByKind = [[`${GROUP}/apiservices`, cells]];

function apiServiceProblems(service: JsonObject): FieldProblem[] {
  const spec = child(service, 'spec');
  const [group, version, name] = [text(spec, 'group'), text(spec, 'version'), nameOf(service)];
  const problems: FieldProblem[] = [];
  if (name !== `${version}.${group}`) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${goQuote(`${version}.${group}`)}`;
    problems.push(invalidValue('metadata.name', name, detail));
  }
  if (group === '' && version !== 'v1') {
    problems.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') problems.push(...nameFaults('spec.group', group, DNS_SUBDOMAIN));
  problems.push(
    ...nameFaults('spec.version', version, DNS_1035_LABEL),
    ...rangeProblems(spec, 'groupPriorityMinimum', 20_000),
    ...rangeProblems(spec, 'versionPriority', 1000),
  );
  const isInsecure = spec['insecureSkipTLSVerify'] === true;
  const bundleBytes = Buffer.from(text(spec, 'caBundle'), 'base64').length;
  if (isSet(spec, 'service')) return [...problems, ...serviceProblems(spec, isInsecure && bundleBytes > 0)];
  if (bundleBytes > 0) {
    const detail = 'local APIServices may not have a caBundle';
    problems.push(invalidValue('spec.caBundle', `${bundleBytes} bytes`, detail));
  }
  if (isInsecure) {
    const detail = 'local APIServices may not have insecureSkipTLSVerify';
    problems.push(invalidValue('spec.insecureSkipTLSVerify', true, detail));
  }
  return problems;
}

function rangeProblems(spec: JsonObject, key: string, max: number): FieldProblem[] {
  const value = number(spec, key) ?? 0;
  if (value > 0 && value <= max) return [];
  return [invalidValue(`spec.${key}`, value, `must be positive and less than ${max}`)];
}

function serviceProblems(spec: JsonObject, isContradiction: boolean): FieldProblem[] {
  const service = child(spec, 'service');
  const port = number(service, 'port') ?? 443;
  const problems: FieldProblem[] = [];
  if (text(service, 'namespace') === '') problems.push(required('spec.service.namespace'));
  if (text(service, 'name') === '') problems.push(required('spec.service.name'));
  if (port < 1 || port > 65_535) problems.push(invalidValue('spec.service.port', port, PORT));
  if (isContradiction) {
    problems.push(invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return problems;
}

function statusProblems(service: JsonObject): FieldProblem[] {
  return list(child(service, 'status'), 'conditions').flatMap((condition, at) => {
    const status = text(condition, 'status');
    return STATUSES.includes(status) ? [] : [notSupported(`status.conditions[${at}].status`, status, STATUSES)];
  });
}

function cells(service: JsonObject, nowMs: number) {
  const of = child(child(service, 'spec'), 'service');
  const hasService = isSet(child(service, 'spec'), 'service');
  const where = hasService ? `${text(of, 'namespace')}/${text(of, 'name')}` : 'Local';
  return [nameOf(service), where, availability(service), age(service, nowMs)];
}

function availability(service: JsonObject): string {
  const conditions = list(child(service, 'status'), 'conditions');
  const available = conditions.find(({ type }) => type === 'Available');
  if (available === undefined) return 'Unknown';
  const [status, reason] = [text(available, 'status'), text(available, 'reason')];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
