/**
 * Which names Kubernetes takes for what. Each rule answers with what is wrong, in the API server's words, or undefined.
 *
 * Checked in tenant terms before a prefix is put in front: a prefix would make `-web` or `.` legal upstream.
 *
 * @see k8s.io/apimachinery pkg/util/validation/validation.go at v0.36
 */

import { ipProblem } from './ip.ts';

export interface NameRule {
  /** What is wrong with the characters, apart from the length. */
  readonly problem: (name: string) => string | undefined;
  /** Characters at most; Infinity when there is no limit but that of the store. */
  readonly max: number;
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_KEY_TEXT =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Namespaces, and names that become a DNS label. */
export const DNS_LABEL: NameRule = { max: 63, problem: (name) => (LABEL.test(name) ? undefined : LABEL_TEXT) };

/** Names that must begin with a letter: services, short names of kinds. */
export const DNS_1035_LABEL: NameRule = {
  max: 63,
  problem: (name) => (LABEL_1035.test(name) ? undefined : LABEL_1035_TEXT),
};

/** Most kinds. */
export const DNS_SUBDOMAIN: NameRule = {
  max: 253,
  problem: (name) => (SUBDOMAIN.test(name) ? undefined : SUBDOMAIN_TEXT),
};

/** RBAC kinds: whatever can stand as one segment of a path. */
export const PATH_SEGMENT: NameRule = { max: Number.POSITIVE_INFINITY, problem: pathSegmentProblem };

/** Kinds whose objects are addresses. */
const IP_ADDRESS: NameRule = { max: Number.POSITIVE_INFINITY, problem: ipProblem };

function pathSegmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  for (const part of ['/', '%']) if (name.includes(part)) return `may not contain '${part}'`;
  return undefined;
}

/** The rule of names of cluster-scoped kinds and namespaces. */
export function nameRuleOf(group: string, resource: string): NameRule {
  if (group === '' && resource === 'namespaces') return DNS_LABEL;
  if (group === 'rbac.authorization.k8s.io') return PATH_SEGMENT;
  // `v1.` is the name of one.
  if (group === 'apiregistration.k8s.io') return PATH_SEGMENT;
  // Of a request for a certificate: of anything but what other parts of the URL could be.
  if (group === 'certificates.k8s.io') return PATH_SEGMENT;
  if (group === 'networking.k8s.io' && resource === 'ipaddresses') return IP_ADDRESS;
  return DNS_SUBDOMAIN;
}

/** All that is wrong with a name by its rule, the length before the characters. */
export function nameProblems(name: string, rule: NameRule): string[] {
  const tooLong = name.length > rule.max ? [`must be no more than ${rule.max} bytes`] : [];
  const problem = rule.problem(name);
  return problem === undefined ? tooLong : [...tooLong, problem];
}

/** All that is wrong with a label key, `[prefix/]name`: what Kubernetes calls a qualified name. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) return [LABEL_KEY_TEXT];
  const name = parts.at(-1) ?? '';
  const problems: string[] = [];
  const [prefix] = parts;
  if (parts.length === 2) {
    if (prefix === '') problems.push('prefix part must be non-empty');
    else problems.push(...nameProblems(prefix ?? '', DNS_SUBDOMAIN).map((problem) => `prefix part ${problem}`));
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED.test(name)) problems.push(QUALIFIED_TEXT);
  return problems;
}

/** The first thing that is wrong with a label key. */
export function labelKeyProblem(key: string): string | undefined {
  return labelKeyProblems(key)[0];
}

/** What is wrong with a label value. */
export function labelValueProblem(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 bytes';
  return value === '' || QUALIFIED.test(value) ? undefined : VALUE_TEXT;
}
