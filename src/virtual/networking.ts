/**
 * ServiceCIDRs and IPAddresses: what kube-apiserver refuses in them, in its own words and order, and how they are printed.
 * @see k8s.io/kubernetes pkg/apis/networking/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, invalidValue, required } from '../k8s/field-problems.ts';
import { cidrFamily, cidrProblem } from '../k8s/ip.ts';
import { nameOf } from '../k8s/meta.ts';
import { DNS_SUBDOMAIN, PATH_SEGMENT } from '../k8s/name-rules.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { age, type CellsByKind } from './cells.ts';
import { isSet, nameFaults, requiredName, words } from './field-checks.ts';
import type { OwnKind } from './own-kind.ts';

export const NETWORKING_GROUP = 'networking.k8s.io';
const FIELD = 'spec.cidrs';
const IMMUTABLE = 'field is immutable';

export const NETWORKING_KINDS: readonly OwnKind[] = [
  {
    group: NETWORKING_GROUP,
    resource: 'servicecidrs',
    kind: 'ServiceCIDR',
    unconditionalUpdate: true,
    problems: serviceCidrProblems,
  },
  {
    group: NETWORKING_GROUP,
    resource: 'ipaddresses',
    kind: 'IPAddress',
    unconditionalUpdate: true,
    problems: ipAddressProblems,
  },
];

export const NETWORKING_CELLS: CellsByKind = [
  [
    `${NETWORKING_GROUP}/servicecidrs`,
    (object, nowMs) => [nameOf(object), words(child(object, 'spec'), 'cidrs').join(','), age(object, nowMs)],
  ],
  [
    `${NETWORKING_GROUP}/ipaddresses`,
    (object, nowMs) => [nameOf(object), parentText(child(object, 'spec')), age(object, nowMs)],
  ],
];

function serviceCidrProblems(object: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(object, 'spec');
  if (previous === undefined) return cidrProblems(words(spec, 'cidrs'));
  return changeProblems(spec, words(child(previous, 'spec'), 'cidrs'));
}

function cidrProblems(cidrs: readonly string[]): FieldProblem[] {
  if (cidrs.length === 0) return [required(FIELD, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidValue(FIELD, { CIDRs: [...cidrs] }, 'may only hold up to 2 values')];
  const problems = cidrs.flatMap((cidr, at) => {
    const problem = cidrProblem(cidr);
    return problem === undefined ? [] : [invalidValue(`${FIELD}[${at}]`, cidr, problem)];
  });
  const [first, second] = cidrs.map(cidrFamily);
  if (first !== undefined && first === second && first !== 0) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    problems.push(invalidValue(FIELD, [...cidrs], detail));
  }
  return problems;
}

/** A second range may be added, nothing else may change. */
function changeProblems(spec: JsonObject, stored: readonly string[]): FieldProblem[] {
  const cidrs = words(spec, 'cidrs');
  const changedAt = (at: number) => invalidValue(`${FIELD}[${at}]`, cidrs[at] ?? '', IMMUTABLE);
  if (cidrs.length === stored.length) {
    return stored.flatMap((cidr, at) => (cidr === cidrs[at] ? [] : [changedAt(at)]));
  }
  if (stored.length !== 1 || cidrs.length !== 2) return [invalidValue(FIELD, spec['cidrs'] ?? null, IMMUTABLE)];
  return [...(cidrs[0] === stored[0] ? [] : [changedAt(0)]), ...cidrProblems(cidrs)];
}

function ipAddressProblems(object: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(object, 'spec');
  const parent = child(spec, 'parentRef');
  const path = 'spec.parentRef';
  const problems = isSet(spec, 'parentRef') ? parentProblems(parent, path) : [required(path)];
  if (previous === undefined) return problems;
  // What is immutable is only looked at for what must be there.
  const missing = problems.filter(({ reason }) => reason === 'FieldValueRequired');
  if (isDeepStrictEqual(parent, child(child(previous, 'spec'), 'parentRef'))) return missing;
  return [...missing, invalidValue(path, spec['parentRef'] ?? null, IMMUTABLE)];
}

function parentProblems(parent: JsonObject, path: string): FieldProblem[] {
  const [group, namespace] = [text(parent, 'group'), text(parent, 'namespace')];
  return [
    ...(group === '' ? [] : nameFaults(`${path}.group`, group, DNS_SUBDOMAIN)),
    ...requiredName(`${path}.resource`, text(parent, 'resource'), PATH_SEGMENT),
    ...requiredName(`${path}.name`, text(parent, 'name'), PATH_SEGMENT),
    ...(namespace === '' ? [] : nameFaults(`${path}.namespace`, namespace, PATH_SEGMENT)),
  ];
}

/** `services/default/kubernetes` */
function parentText(spec: JsonObject): string {
  if (!isSet(spec, 'parentRef')) return '<none>';
  const parent = child(spec, 'parentRef');
  const [group, resource, namespace] = [text(parent, 'group'), text(parent, 'resource'), text(parent, 'namespace')];
  const of = `${resource}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return [of, ...(namespace === '' ? [] : [namespace]), text(parent, 'name')].join('/');
}
