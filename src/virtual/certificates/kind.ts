/**
 * CertificateSigningRequest: who asks is set by the server, what is asked never changes, and approving and signing take a
 * right on the signer besides the one on the request.
 *
 * @see k8s.io/kubernetes pkg/registry/certificates/certificates/strategy.go at v1.36
 * @see k8s.io/kubernetes plugin/pkg/admission/certificates at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { cloneJson } from '../../codec/json.ts';
import { nameOf } from '../../k8s/meta.ts';
import { MASTERS } from '../../k8s/rbac.ts';
import { child, text } from '../../k8s/read.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';
import { goQuote } from '../../lib/go-quote.ts';
import { humanDuration } from '../../lib/human-duration.ts';
import { readSigningRequest } from '../../pki/signing-request.ts';
import type { Asks, VirtualWrite } from '../../ports.ts';
import { age, type CellsByKind } from '../cells.ts';
import { number } from '../field-checks.ts';
import type { OwnKind } from '../own-kind.ts';
import { APPROVED, conditionsOf, DENIED, dateConditions, FAILED, hasCondition, keepDecisions } from './conditions.ts';
import { certificateOf, pemOf, requestProblems } from './validation.ts';

const GROUP = 'certificates.k8s.io';
/** Whose certificates authenticate at the API server. */
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export const CERTIFICATE_KINDS: readonly OwnKind[] = [
  {
    group: GROUP,
    resource: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    unconditionalUpdate: true,
    problems: requestProblems,
    statusProblems: (request, previous) => requestProblems(request, previous, 'status'),
    prepare,
    refusal,
  },
];

export const CERTIFICATE_CELLS: CellsByKind = [[`${GROUP}/certificatesigningrequests`, cells]];

function prepare(request: JsonObject, write: VirtualWrite): void {
  const { previous, subresource, isPatch, caller, nowMs } = write;
  if (previous === undefined) {
    setRequestor(request, caller);
    delete request['status'];
    return;
  }
  request['spec'] = cloneJson(child(previous, 'spec'));
  if (subresource === '') {
    if (isPatch) delete request['status'];
    else takeStatus(request, previous);
    return;
  }
  const stored = conditionsOf(previous);
  const status = child(request, 'status');
  if (Array.isArray(status['conditions'])) {
    const conditions = status['conditions'].filter(isObject);
    if (subresource === 'status') keepDecisions(conditions, stored);
    dateConditions(conditions, stored, `${new Date(nowMs).toISOString().slice(0, 19)}Z`);
    status['conditions'] = conditions;
  }
  if (subresource !== 'approval') return;
  const { conditions = [] } = status;
  request['status'] = { ...(isPatch ? {} : cloneJson(child(previous, 'status'))), conditions };
}

function setRequestor(request: JsonObject, { username, uid, groups, extra }: VirtualWrite['caller']): void {
  const spec = isObject(request['spec']) ? request['spec'] : {};
  for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field];
  spec['username'] = username;
  if (uid !== '') spec['uid'] = uid;
  if (groups.length > 0) spec['groups'] = [...groups];
  const entries = Object.entries(extra);
  if (entries.length > 0) spec['extra'] = Object.fromEntries(entries.map(([key, values]) => [key, [...values]]));
  request['spec'] = spec;
}

function takeStatus(request: JsonObject, previous: JsonObject): void {
  if (isObject(previous['status'])) request['status'] = cloneJson(previous['status']);
  else delete request['status'];
}

function refusal(request: JsonObject, { previous, subresource }: VirtualWrite, may: Asks): string | undefined {
  if (previous === undefined) return subresource === '' ? restrictedSubject(request) : undefined;
  const signer = text(child(previous, 'spec'), 'signerName');
  const refused = (verb: string) => `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`;
  if (subresource === 'approval') return mayUse(signer, 'approve', may) ? undefined : refused('approve');
  const unchanged =
    certificateOf(request) === certificateOf(previous) &&
    isDeepStrictEqual(conditionsOf(request), conditionsOf(previous));
  if (subresource !== 'status' || unchanged) return undefined;
  return mayUse(signer, 'sign', may) ? undefined : refused('sign');
}

/** Who administers a tenant is not made by asking for a certificate. */
function restrictedSubject(request: JsonObject): string | undefined {
  if (text(child(request, 'spec'), 'signerName') !== CLIENT_SIGNER) return undefined;
  if (!readSigningRequest(pemOf(request)).groups.includes(MASTERS)) return undefined;
  return `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`;
}

/** The right on the signer, or on all of its domain. */
function mayUse(signer: string, verb: string, may: Asks): boolean {
  const right = { isResource: true, verb, group: GROUP, resource: 'signers', subresource: '', namespace: '' } as const;
  return may({ ...right, name: signer }) || may({ ...right, name: `${signer.split('/')[0]}/*` });
}

function cells(request: JsonObject, nowMs: number) {
  const spec = child(request, 'spec');
  const seconds = number(spec, 'expirationSeconds');
  return [
    nameOf(request),
    age(request, nowMs),
    text(spec, 'signerName') || '<none>',
    text(spec, 'username'),
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
    stateOf(request),
  ];
}

function stateOf(request: JsonObject): string {
  const decided = hasCondition(request, DENIED) ? DENIED : hasCondition(request, APPROVED) ? APPROVED : 'Pending';
  const failed = hasCondition(request, FAILED) ? `,${FAILED}` : '';
  return `${decided}${failed}${certificateOf(request) === '' ? '' : ',Issued'}`;
}
