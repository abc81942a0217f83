/**
 * Runs the mutating policies of `deploy/` for hosts whose API server does not run such policies: it asks here by a webhook,
 * which the operator has set up (`kubeveil host-webhook`). What a policy makes of an object is the same in both forms.
 *
 * Answered before the proxy serves anybody, since it serves nobody until this acts.
 *
 * @see docs/decisions/0057-host-webhook.md
 */
import { HostMutationFailed, mutatedByHost } from '../admission/host-mutations.ts';
import { PATHS } from '../controllers/host/host-objects.ts';
import type { HostInformers } from '../controllers/host/informers.ts';
import { mutatingPolicies } from '../controllers/walls/host-webhook.ts';
import { readManifests } from '../controllers/walls/manifests.ts';
import { ApiError } from '../errors.ts';
import { namespaceOf } from '../k8s/meta.ts';
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { CpuShare } from '../lib/cpu-share.ts';
import type { Handler, Incoming } from '../listen/options.ts';
import { readBody } from '../listen/read-body.ts';
import { logger } from '../observe/log.ts';
import type { AdmissionOperation } from '../ports.ts';
import { answerTo, notSuch, type Outcome, requestIn } from '../relay/admission-review.ts';
import { patchBetween } from '../relay/json-patch.ts';
import type { RelayKeys } from '../relay/keys.ts';
import { MUTATIONS_ROOT } from '../tenancy/host-names.ts';
import { tenantOf, type UpstreamName } from '../tenancy/names.ts';
import type { HostClient } from '../upstream/host-client.ts';
import { answerHost, HOST, MAX_REVIEW_BYTES, unauthorized } from './host-question.ts';

export interface HostMutationsOptions {
  readonly keys: RelayKeys;
  /** As the provisioner. */
  readonly client: Pick<HostClient, 'get'>;
  readonly informers: Pick<HostInformers, 'namespaces' | 'clusterRoles'>;
}

/** What objects of one tenant may use of one core: those of another are not kept waiting by it. */
const SHARE = {
  burstMs: 1_000,
  msPerSecond: 250,
  late: (_waitMs: number, cause: unknown) =>
    new ApiError('ERR_TIMEOUT', 'too much is made for this tenant at once; try again', { cause }),
};

/** Serves what the host asks for, and hands on everything else. */
export function withHostMutations(next: Handler, options: HostMutationsOptions): Handler {
  const share = new CpuShare(SHARE);
  const policies = mutatingPolicies(readManifests());
  return async (incoming) => {
    if (!incoming.head.target.startsWith(MUTATIONS_ROOT)) return await next(incoming);
    await answerHost(incoming, () => serve(incoming, { ...options, share, policies }));
  };
}

interface Made {
  readonly share: CpuShare;
  readonly policies: ReturnType<typeof mutatingPolicies>;
}

async function serve(
  { head, body, belongsTo }: Incoming,
  { keys, client, informers, share, policies }: HostMutationsOptions & Made,
): Promise<JsonObject> {
  const [path = ''] = head.target.slice(MUTATIONS_ROOT.length).split('?');
  const [door = '', name = ''] = path.split('/');
  // Before anything of the body is read.
  if (head.method !== 'POST' || !(await keys.opens(door, 'mutations'))) throw unauthorized();
  belongsTo(HOST);
  const request = requestIn(await readBody(body, MAX_REVIEW_BYTES, head.headers, head.signal));
  const found = policies.get(name);
  const { object } = request;
  if (found === undefined || !isObject(object) || text(request, 'uid') === '') {
    throw notSuch('expected an object that is made or changed, for a policy of this version of the proxy');
  }
  const { policy, params } = found;
  const of = text(request, 'namespace') || namespaceOf(object);
  // One that was made a moment ago may not have been seen yet.
  const namespaceObject = informers.namespaces.get('', of) ?? (await client.get(`${PATHS.namespaces}/${of}`));
  const parameters = params === undefined ? undefined : informers.clusterRoles.get('', params);
  const question = { subject: { ...factsOf(request), namespaceObject: () => namespaceObject } };
  const oldObject = isObject(request['oldObject']) ? request['oldObject'] : undefined;
  const outcome = await share.run(tenantOf(of as UpstreamName) ?? of, head.signal, (): Outcome => {
    try {
      if (params !== undefined && parameters === undefined) throw new HostMutationFailed(`no ClusterRole ${params}`);
      const after = mutatedByHost(policy, { ...question, given: { object, oldObject }, params: parameters });
      return { allowed: true, patch: after === undefined ? [] : patchBetween(object, after) };
    } catch (error) {
      if (!(error instanceof HostMutationFailed)) throw error;
      logger('relay').warn({ policy: name, namespace: of, why: error.message }, 'a policy of the host failed');
      return { allowed: false, status: { message: `error: ${error.message}`, reason: 'Forbidden', code: 403 } };
    }
  });
  return answerTo({ uid: text(request, 'uid') }, outcome);
}

function factsOf(request: JsonObject) {
  const resource = child(request, 'resource');
  const kind = child(request, 'kind');
  const user = child(request, 'userInfo');
  const extras = child(user, 'extra');
  const extra = Object.fromEntries(Object.keys(extras).map((key) => [key, strings(extras, key)]));
  return {
    identity: { username: text(user, 'username'), uid: text(user, 'uid'), groups: strings(user, 'groups'), extra },
    operation: text(request, 'operation') as AdmissionOperation,
    group: text(resource, 'group'),
    version: text(resource, 'version'),
    resource: text(resource, 'resource'),
    subresource: text(request, 'subResource'),
    namespace: text(request, 'namespace'),
    name: text(request, 'name'),
    kind: { group: text(kind, 'group'), version: text(kind, 'version'), kind: text(kind, 'kind') },
    dryRun: request['dryRun'] === true,
    options: child(request, 'options'),
  };
}
