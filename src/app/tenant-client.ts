/**
 * A client inside a tenant's virtual cluster: the proxy doing there what kube-controller-manager does in a real one. It
 * goes by the verbs that serve the tenant, and as the tenant upstream, so that the host confines it as it does them.
 */
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
const AGGREGATION = 'clusterrole-aggregation-controller';

export interface TenantClientOptions {
  readonly view: Pick<HostView, 'kinds'>;
  readonly verbDeps: VerbDeps;
  readonly scopeOf: (tenant: Tenant, identity: Identity) => Scope;
  readonly signal: AbortSignal;
}

/** How the rules of a ClusterRole are stored. Does nothing for a tenant that is not offered ClusterRoles. */
export function createRoleStore({ view, verbDeps, scopeOf, signal }: TenantClientOptions) {
  return async (tenant: Tenant, name: string, rules: JsonObject[]): Promise<void> => {
    const target = `/apis/${GROUP}/v1/clusterroles/${encodeURIComponent(name)}?fieldManager=${AGGREGATION}&force=true`;
    const info = parseRequestInfo('PATCH', target);
    const at = view.kinds.byResource(tenant, GROUP, 'v1', 'clusterroles');
    if (at === undefined || !info.isResource) return;
    const username = `system:serviceaccount:kube-system:${AGGREGATION}`;
    const identity: Identity = { username, groups: [MASTERS], uid: '', extra: {} };
    const head = headOfOwn({ id: `${AGGREGATION} of ${tenant.id}`, method: 'PATCH', target, signal });
    const document = { apiVersion: apiVersionOf(GROUP, 'v1'), kind: 'ClusterRole', metadata: { name }, rules };
    const body = { contentType: 'application/apply-patch+yaml', document };
    const accept = { media: 'json', as: undefined } as const;
    const scope = scopeOf(tenant, identity);
    const reply = await serve({ head, info, at, tenant, identity, accept, body, scope }, verbDeps);
    if (reply.kind !== 'object' || reply.status < 300) return;
    throw new Error(`${name} was refused with ${reply.status}: ${text(reply.object, 'message')}`);
  };
}
