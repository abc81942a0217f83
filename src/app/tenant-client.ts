/**
 * A client inside a tenant's virtual cluster: the proxy doing there what kube-controller-manager does in a real one. It
 * goes by the verbs that serve the tenant, and as the tenant upstream, so that the host confines it as it does them.
 */
import type { RequestWrites } from '../controllers/certificates/certificate-signer.ts';
import { ApiError } from '../errors.ts';
import { headOfOwn, type Identity } from '../exchange.ts';
import { MASTERS } from '../k8s/rbac.ts';
import { text } from '../k8s/read.ts';
import { apiVersionOf, type JsonObject } from '../k8s/types.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Scope } from '../translate/scope.ts';
import type { VerbDeps } from '../verbs/call.ts';
import { serve } from '../verbs/verbs.ts';
import type { HostView } from './host-view.ts';

const GROUP = 'rbac.authorization.k8s.io';
const CERTIFICATES = 'certificates.k8s.io';
const AGGREGATION = 'clusterrole-aggregation-controller';
const POLICIES = 'admissionregistration.k8s.io';
const POLICY_STATUS = 'validatingadmissionpolicy-status';

export interface TenantClientOptions {
  readonly view: Pick<HostView, 'kinds'>;
  readonly verbDeps: VerbDeps;
  readonly scopeOf: (tenant: Tenant, identity: Identity) => Scope;
  readonly signal: AbortSignal;
}

interface OwnRequest {
  /** The controller in whose name it is: a service account of kube-system. */
  readonly controller: string;
  readonly method: 'DELETE' | 'PATCH';
  readonly target: string;
  readonly contentType: string;
  readonly document: JsonObject;
}

/** Undefined where the tenant is not offered the kind. */
type Send = (tenant: Tenant, request: OwnRequest) => Promise<{ status: number; message: string } | undefined>;

function createSend({ view, verbDeps, scopeOf, signal }: TenantClientOptions): Send {
  return async (tenant, { controller, method, target, contentType, document }) => {
    const info = parseRequestInfo(method, target);
    const at = info.isResource ? view.kinds.byResource(tenant, info.group, info.version, info.resource) : undefined;
    if (at === undefined || !info.isResource) return undefined;
    const username = `system:serviceaccount:kube-system:${controller}`;
    const identity: Identity = { username, groups: [MASTERS], uid: '', extra: {} };
    const head = headOfOwn({ id: `${controller} of ${tenant.id}`, method, target, signal });
    const accept = { media: 'json', as: undefined } as const;
    const call = { head, info, at, tenant, identity, accept, body: { contentType, document } };
    const reply = await serve({ ...call, scope: scopeOf(tenant, identity) }, verbDeps);
    if (reply.kind !== 'object') throw new Error(`${target} was answered with no object`);
    return { status: reply.status, message: text(reply.object, 'message') };
  };
}

/** How the rules of a ClusterRole are stored. Does nothing for a tenant that is not offered ClusterRoles. */
export function createRoleStore(options: TenantClientOptions) {
  const send = createSend(options);
  return async (tenant: Tenant, name: string, rules: JsonObject[]): Promise<void> => {
    const answer = await send(tenant, {
      controller: AGGREGATION,
      method: 'PATCH',
      target: `/apis/${GROUP}/v1/clusterroles/${encodeURIComponent(name)}?fieldManager=${AGGREGATION}&force=true`,
      contentType: 'application/apply-patch+yaml',
      document: { apiVersion: apiVersionOf(GROUP, 'v1'), kind: 'ClusterRole', metadata: { name }, rules },
    });
    if (answer === undefined || answer.status < 300) return;
    throw new Error(`${name} was refused with ${answer.status}: ${answer.message}`);
  };
}

type Write = (tenant: Tenant, request: OwnRequest) => Promise<void>;

function createWrite(options: TenantClientOptions): Write {
  const send = createSend(options);
  return async (tenant, request) => {
    const answer = await send(tenant, request).catch((error: unknown) => {
      if (error instanceof ApiError) return { status: error.status, message: error.message };
      throw error;
    });
    // Another by now, or gone: whoever was faster has made it what it is to be, or it comes up again.
    if (answer === undefined || answer.status < 300 || answer.status === 404 || answer.status === 409) return;
    throw new Error(`${request.method} was refused with ${answer.status}: ${answer.message}`);
  };
}

/** How the status of a ValidatingAdmissionPolicy is stored. */
export function createPolicyStatusWrite(options: TenantClientOptions) {
  const write = createWrite(options);
  return (tenant: Tenant, name: string, document: JsonObject): Promise<void> =>
    write(tenant, {
      controller: `${POLICY_STATUS}-controller`,
      method: 'PATCH',
      target: `/apis/${POLICIES}/v1/validatingadmissionpolicies/${encodeURIComponent(name)}/status?fieldManager=${POLICY_STATUS}`,
      contentType: 'application/merge-patch+json',
      document,
    });
}

/** How what becomes of a CertificateSigningRequest is stored. */
export function createRequestWrites(options: TenantClientOptions): RequestWrites {
  const write = createWrite(options);
  const pathOf = (name: string) => `/apis/${CERTIFICATES}/v1/certificatesigningrequests/${encodeURIComponent(name)}`;
  return {
    writeStatus: (tenant, name, document) =>
      write(tenant, {
        controller: 'certificate-controller',
        method: 'PATCH',
        target: `${pathOf(name)}/status?fieldManager=certificate-controller`,
        contentType: 'application/merge-patch+json',
        document,
      }),
    remove: (tenant, name, uid) =>
      write(tenant, {
        controller: 'certificate-controller',
        method: 'DELETE',
        target: pathOf(name),
        contentType: 'application/json',
        document: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
      }),
  };
}
