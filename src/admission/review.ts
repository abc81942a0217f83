/**
 * `AdmissionReview`: what a webhook is sent, and what of its answer counts.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/request/admissionreview.go at v0.36
 */
import { randomUUID } from 'node:crypto';
import { parseJson } from '../codec/json.ts';
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { AdmissionSubject, EquivalentResource } from '../ports.ts';
import type { AdmittedObjects } from './matching.ts';
import { admissionRequest } from './request.ts';

const GROUP = 'admission.k8s.io';
const VERSIONS = ['v1', 'v1beta1'] as const;
const JSON_PATCH = 'JSONPatch';

/** The webhook could not be asked, or its answer is none: its failurePolicy says what then. */
export class WebhookCallFailed extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'WebhookCallFailed';
  }
}

export interface Review {
  readonly uid: string;
  readonly version: (typeof VERSIONS)[number];
  readonly document: JsonObject;
}

/** @throws {WebhookCallFailed} when the webhook speaks no version that is known here */
export function reviewFor(
  webhook: JsonObject,
  subject: AdmissionSubject,
  as: EquivalentResource | undefined,
  { object, oldObject }: AdmittedObjects,
): Review {
  const version = strings(webhook, 'admissionReviewVersions').flatMap((one) => VERSIONS.filter((v) => v === one))[0];
  if (version === undefined) {
    throw new WebhookCallFailed(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  }
  const uid = randomUUID();
  const request = { uid, ...admissionRequest(subject, as), object: object ?? null, oldObject: oldObject ?? null };
  return { uid, version, document: { kind: 'AdmissionReview', apiVersion: `${GROUP}/${version}`, request } };
}

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** A `Status`; undefined when there is none. */
  readonly result: JsonObject | undefined;
  /** The operations of the patch; empty when there is none. */
  readonly patch: readonly JsonObject[];
  readonly warnings: readonly string[];
  readonly annotations: ReadonlyArray<readonly [key: string, value: string]>;
}

/** @throws {WebhookCallFailed} for what is no answer to this review */
export function readReview(document: JsonObject, { uid, version }: Review, mutating: boolean): ReviewAnswer {
  refuseOtherType(document, version);
  const { response } = document;
  if (!isObject(response)) throw invalid('webhook response was absent');
  if (version === 'v1' && response['uid'] !== uid) {
    throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(text(response, 'uid'))}`);
  }
  const { allowed } = response;
  if (allowed !== undefined && allowed !== null && typeof allowed !== 'boolean') {
    throw unreadable('response.allowed', 'bool');
  }
  refuseOtherSorts(response);
  const { status } = response;
  return {
    allowed: allowed === true,
    result: isObject(status) ? status : undefined,
    patch: patchIn(response, version, mutating),
    warnings: strings(response, 'warnings'),
    annotations: Object.entries(child(response, 'auditAnnotations')).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as const] : [],
    ),
  };
}

function refuseOtherType(document: JsonObject, version: string): void {
  const [apiVersion, kind] = [text(document, 'apiVersion'), text(document, 'kind')];
  const gvk = `${apiVersion}, Kind=${kind}`;
  if (apiVersion === `${GROUP}/${version}` && kind === 'AdmissionReview') return;
  // Without a type, v1beta1 is taken for what was sent.
  if (version === 'v1beta1' && apiVersion === '' && kind === '') return;
  if (kind === 'AdmissionReview' && VERSIONS.some((other) => apiVersion === `${GROUP}/${other}`)) {
    const [from, to] = [apiVersion.slice(GROUP.length + 1), version];
    const why = `converting (${from}.AdmissionReview) to (${to}.AdmissionReview): unknown conversion`;
    throw new WebhookCallFailed(`failed to call webhook: ${why}`);
  }
  throw invalid(`expected webhook response of ${GROUP}/${version}, Kind=AdmissionReview, got ${gvk}`);
}

/** What is written in another sort than its type has is no answer, as it is none to a program with types. */
function refuseOtherSorts(response: JsonObject): void {
  const { warnings = null, auditAnnotations = null, status = null } = response;
  if (warnings !== null && !(Array.isArray(warnings) && warnings.every(isText))) {
    throw unreadable('response.warnings', '[]string');
  }
  if (auditAnnotations !== null && !(isObject(auditAnnotations) && Object.values(auditAnnotations).every(isText))) {
    throw unreadable('response.auditAnnotations', 'map[string]string');
  }
  if (status === null) return;
  if (!isObject(status)) throw unreadable('response.status', 'v1.Status');
  for (const field of ['status', 'message', 'reason']) {
    if (!isText(status[field] ?? '')) throw unreadable(`response.status.${field}`, 'string');
  }
  const { code = null, details = null } = status;
  if (!isInt32(code ?? 0)) throw unreadable('response.status.code', 'int32');
  if (details === null) return;
  if (!isObject(details)) throw unreadable('response.status.details', 'v1.StatusDetails');
  if (!isInt32(details['retryAfterSeconds'] ?? 0)) {
    throw unreadable('response.status.details.retryAfterSeconds', 'int32');
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && (value | 0) === value;
}

function patchIn(response: JsonObject, version: Review['version'], mutating: boolean): readonly JsonObject[] {
  const { patch: given = null, patchType: type = null } = response;
  const encoded = given === null ? '' : given;
  if (typeof encoded !== 'string') throw unreadable('response.patch', '[]byte');
  if (!mutating) {
    if (version === 'v1beta1') return [];
    if (encoded !== '') throw invalid('validating webhook may not return response.patch');
    if (type !== null) throw invalid('validating webhook may not return response.patchType');
    return [];
  }
  if (version === 'v1') {
    if (encoded !== '' && type === null) throw invalid('webhook returned response.patch but not response.patchType');
    if (encoded === '' && type !== null) throw invalid('webhook returned response.patchType but not response.patch');
    if (type === '') throw invalid('webhook returned invalid response.patchType of ""');
  }
  if (encoded === '') return [];
  if (version === 'v1' && type !== JSON_PATCH) {
    throw new WebhookCallFailed(`unsupported patch type ${goQuote(String(type))}`);
  }
  return operationsIn(encoded);
}

function operationsIn(encoded: string): readonly JsonObject[] {
  let operations: JsonValue;
  try {
    operations = parseJson(Buffer.from(encoded, 'base64')) as JsonValue;
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw undecodable('it is no list of operations');
  return operations.map((operation) => {
    if (!isObject(operation)) throw undecodable('an operation is no object');
    return operation;
  });
}

function invalid(why: string): WebhookCallFailed {
  return new WebhookCallFailed(`received invalid webhook response: ${why}`);
}

function undecodable(why: string): WebhookCallFailed {
  return new WebhookCallFailed(`received undecodable patch in webhook response: ${why}`);
}

function unreadable(field: string, type: string): WebhookCallFailed {
  return new WebhookCallFailed(
    `failed to call webhook: json: cannot unmarshal field AdmissionReview.${field} into ${type}`,
  );
}
