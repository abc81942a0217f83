/**
 * What kube-apiserver refuses in a CertificateSigningRequest, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/certificates/validation/validation.go at v1.36
 * @see k8s.io/kubernetes pkg/apis/core/validation/names.go (ValidateSignerName) at v1.36
 */
import { X509Certificate } from 'node:crypto';
import {
  duplicate,
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../k8s/field-problems.ts';
import { DNS_LABEL, DNS_SUBDOMAIN, nameProblems } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { goQuote } from '../../lib/go-quote.ts';
import { readSigningRequest, SigningRequestError } from '../../pki/signing-request.ts';
import { number, words } from '../field-checks.ts';
import { changeProblems, conditionProblems } from './conditions.ts';

const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MIN_SECONDS = 600;
const MAX_DOMAIN = 253;
const MAX_PATH = 253 + 63 + 1;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const BLOCK = /-----BEGIN ([^\n-]*)-----[ \t\r]*\n([\s\S]*?)\n?-----END \1-----/g;

/** @param previous as stored, on an update, of which `subresource` is told by `''`, `status` or `approval` */
export function requestProblems(
  request: JsonObject,
  previous: JsonObject | undefined,
  subresource: string,
): FieldProblem[] {
  const problems = ownProblems(request, previous);
  if (previous === undefined) return problems;
  return [
    ...problems,
    ...changeProblems(request, previous, subresource === 'approval'),
    ...certificateChangeProblems(certificateOf(request), certificateOf(previous), subresource === 'status'),
  ];
}

/** `status.certificate`, base64 of PEM. */
export function certificateOf(request: JsonObject): string {
  return text(child(request, 'status'), 'certificate');
}

/** The text that is base64 in `spec.request`. */
export function pemOf(request: JsonObject): string {
  return Buffer.from(text(child(request, 'spec'), 'request'), 'base64').toString('latin1');
}

function ownProblems(request: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(request, 'spec');
  const problems: FieldProblem[] = [];
  // What is stored was looked at when it was made, and never changes.
  const why = previous === undefined ? whyUnreadable(pemOf(request)) : undefined;
  if (why !== undefined) problems.push(invalidValue('spec.request', spec['request'] ?? null, why));
  const usages = words(spec, 'usages');
  if (usages.length === 0) problems.push(required('spec.usages'));
  for (const [at, usage] of usages.entries()) {
    if (!USAGES.includes(usage)) problems.push(notSupported(`spec.usages[${at}]`, usage, USAGES));
  }
  for (const [at, usage] of usages.entries()) {
    if (usages.indexOf(usage) < at) problems.push(duplicate(`spec.usages[${at}]`, usage));
  }
  problems.push(...signerProblems('spec.signerName', text(spec, 'signerName')));
  const seconds = number(spec, 'expirationSeconds');
  if (seconds !== undefined && seconds < MIN_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    problems.push(invalidValue('spec.expirationSeconds', seconds, detail));
  }
  problems.push(...conditionProblems(request));
  const certificate = certificateOf(request);
  const fault =
    certificate === '' ? undefined : certificateFault(Buffer.from(certificate, 'base64').toString('latin1'));
  if (fault !== undefined) problems.push(invalidValue('status.certificate', '<certificate data>', fault));
  return problems;
}

function whyUnreadable(pem: string): string | undefined {
  try {
    readSigningRequest(pem);
    return undefined;
  } catch (error) {
    if (error instanceof SigningRequestError) return error.message;
    throw error;
  }
}

function signerProblems(field: string, name: string): FieldProblem[] {
  if (name === LEGACY_SIGNER) {
    return [invalidValue(field, name, 'the legacy signerName is not allowed via this API version')];
  }
  if (name === '') return [required(field)];
  const segments = name.split('/');
  const [domain = '', path = ''] = segments;
  if (segments.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, detail)];
  }
  const labels = domain.split('.');
  const faults = (value: string, parts: readonly string[], rule: typeof DNS_LABEL): FieldProblem[] => {
    const bad = parts.find((part) => nameProblems(part, rule).length > 0);
    if (bad === undefined) return [];
    return nameProblems(bad, rule).map((why) => invalidValue(field, value, `validating label ${goQuote(bad)}: ${why}`));
  };
  return [
    ...(domain.length > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : []),
    ...faults(domain, labels, DNS_LABEL),
    ...(labels.length < 2
      ? [invalidValue(field, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...faults(path, path.split('.'), DNS_SUBDOMAIN),
    ...(path.length > MAX_PATH ? [tooLong(field, MAX_PATH)] : []),
  ];
}

function certificateFault(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)];
  for (const [, label = '', body = ''] of blocks) {
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(label)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(Buffer.from(body, 'base64'));
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function certificateChangeProblems(now: string, before: string, mayIssue: boolean): FieldProblem[] {
  if (now === before) return [];
  if (!mayIssue) return [forbiddenField('status.certificate', 'updates may not set certificate content')];
  if (before === '') return [];
  return [forbiddenField('status.certificate', 'updates may not modify existing certificate content')];
}
