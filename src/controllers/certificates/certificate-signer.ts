/**
 * The signer `kubernetes.io/kube-apiserver-client` of each tenant: signs its approved CertificateSigningRequests with the
 * tenant's own client CA, so that the certificate is one of this tenant and nothing anywhere else. Other signers are the
 * tenant's own business. Requests that have had their time are deleted.
 *
 * Level-triggered by request; each replica does what any other would, and the later of two writes is refused.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 * @see k8s.io/kubernetes pkg/controller/certificates/signer/signer.go at v1.36
 */
import { rawNumberText } from '../../codec/json.ts';
import type { Informer } from '../../k8s/informer.ts';
import { nameOf, uidOf, versionOf } from '../../k8s/meta.ts';
import { MASTERS } from '../../k8s/rbac.ts';
import { child, objects, strings, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import { type CertificatePair, signClientRequest } from '../../pki/certificates.ts';
import { readSigningRequest, type SigningRequest, SigningRequestError } from '../../pki/signing-request.ts';
import type { TenantRegistry } from '../../ports.ts';
import type { UpstreamName } from '../../tenancy/names.ts';
import { virtualNames } from '../../tenancy/segments.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { labelledOwner } from '../host/host-objects.ts';
import { requestEndsAtMs } from './request-age.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client';
/** As for certificates that the operator issues: a day's work by default, never more than a month. */
const DEFAULT_TTL_MS = 12 * 3_600_000;
const MAX_TTL_MS = 30 * 86_400_000;
const CLIENT_AUTH = 'client auth';
const USAGES: ReadonlySet<string> = new Set(['digital signature', 'key encipherment', CLIENT_AUTH]);
const CONCURRENCY = 4;

/** Writes to one request of a tenant, by its name there. `merge` is a merge patch of its status. */
export interface RequestWrites {
  /** @throws {Error} when it is refused for another reason than that the request is another by now */
  writeStatus(tenant: Tenant, name: string, merge: JsonObject): Promise<void>;
  /** @param uid whose deletion is meant */
  remove(tenant: Tenant, name: string, uid: string): Promise<void>;
}

export interface CertificateSignerOptions extends RequestWrites {
  /** The requests of all tenants, in upstream terms. */
  readonly requests: Pick<Informer, 'subscribe' | 'get'>;
  readonly tenants: Pick<TenantRegistry, 'get'>;
  /** The CA of the tenant's clients, with its key. @throws {Error} when it is not there, or not the tenant's */
  authority(tenant: Tenant): Promise<CertificatePair>;
  readonly nowMs: () => number;
  readonly onError: (what: string, error: unknown) => void;
}

export function startCertificateSigner(options: CertificateSignerOptions): { stop(): Promise<void> } {
  const { requests, tenants, authority, nowMs, onError } = options;
  const queue = createWorkQueue({
    work: settle,
    concurrency: CONCURRENCY,
    onError: (name, error) => onError(`the certificate request ${name}`, error),
  });
  const unsubscribe = requests.subscribe(({ type, object }) => {
    if (type !== 'deleted') queue.add(nameOf(object));
  });

  /** @returns after how many milliseconds to look again */
  async function settle(key: string): Promise<number | undefined> {
    const request = requests.get('', key);
    const owner = request === undefined ? undefined : labelledOwner(request);
    const tenant = owner === undefined ? undefined : tenants.get(owner);
    const name = owner === undefined ? undefined : virtualNames(owner).down(key as UpstreamName);
    if (request === undefined || tenant?.phase !== 'Active' || name === undefined) return undefined;
    const leftMs = (requestEndsAtMs(request) ?? Number.POSITIVE_INFINITY) - nowMs();
    if (leftMs <= 0) {
      await options.remove(tenant, name, uidOf(request));
      return undefined;
    }
    if (isToSign(request)) await options.writeStatus(tenant, name, await outcome(tenant, request));
    return leftMs === Number.POSITIVE_INFINITY ? undefined : leftMs;
  }

  /** The status to write: a certificate, or why there is none. */
  async function outcome(tenant: Tenant, request: JsonObject): Promise<JsonObject> {
    const metadata = { uid: uidOf(request), resourceVersion: versionOf(request) };
    const asked = readAsked(request);
    if (typeof asked !== 'string') {
      const pem = await signClientRequest(await authority(tenant), asked.request, asked.ttlMs);
      return { metadata, status: { certificate: Buffer.from(pem).toString('base64') } };
    }
    const now = `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: asked,
      lastUpdateTime: now,
    };
    return { metadata, status: { conditions: [...objects(child(request, 'status'), 'conditions'), failed] } };
  }

  return {
    async stop() {
      unsubscribe();
      await queue.stop();
    },
  };
}

function isToSign(request: JsonObject): boolean {
  const status = child(request, 'status');
  const has = (type: string) =>
    objects(status, 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');
  const isOurs = text(child(request, 'spec'), 'signerName') === SIGNER;
  return isOurs && text(status, 'certificate') === '' && has('Approved') && !has('Denied') && !has('Failed');
}

/** What is to be signed, or why it is not signed at all. */
function readAsked(object: JsonObject): { request: SigningRequest; ttlMs: number } | string {
  const spec = child(object, 'spec');
  const usages = strings(spec, 'usages');
  const other = usages.find((usage) => !USAGES.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  if (!usages.includes(CLIENT_AUTH)) return `missing required usage for client certificate: ${CLIENT_AUTH}`;
  try {
    const request = readSigningRequest(Buffer.from(text(spec, 'request'), 'base64').toString('latin1'));
    const [user] = request.users;
    if (request.users.length !== 1 || user === undefined || user === '')
      return 'the subject must have one common name (CN)';
    if (request.groups.includes(MASTERS)) return `certificates of the group ${MASTERS} are not signed on request`;
    return { request, ttlMs: ttlOf(spec) };
  } catch (error) {
    if (error instanceof SigningRequestError) return error.message;
    throw error;
  }
}

function ttlOf({ expirationSeconds = null }: JsonObject): number {
  const seconds = Number(rawNumberText(expirationSeconds) ?? expirationSeconds);
  return seconds > 0 ? Math.min(seconds * 1000, MAX_TTL_MS) : DEFAULT_TTL_MS;
}
