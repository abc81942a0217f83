/**
 * Admission policies read the objects that they take parameters from for whoever sends a request, and their messages may
 * hold what stands there. So who sets up a policy must be allowed to read that kind, and who binds one, those objects.
 *
 * @see k8s.io/kubernetes pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go and
 *   validatingadmissionpolicybinding/authz.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, invalid } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import { forbiddenField } from '../k8s/field-problems.ts';
import { nameOf } from '../k8s/meta.ts';
import { MASTERS } from '../k8s/rbac.ts';
import { child, text } from '../k8s/read.ts';
import { type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { get } from './get.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = new Set(['validatingadmissionpolicies', 'mutatingadmissionpolicies']);
/** Of a binding, the kind that it binds. */
const BOUND: ReadonlyMap<string, string> = new Map([...POLICIES].map((policies) => [bindingsOf(policies), policies]));

/**
 * @param previous as it is stored, on an update: what was allowed once may stay
 * @throws {ApiError} ERR_INVALID, as the API server says it
 */
export async function confirmParams(
  call: Call,
  deps: VerbDeps,
  object: JsonObject,
  previous: JsonObject | undefined,
): Promise<void> {
  const { group, resource, subresource } = call.info;
  if (group !== GROUP || subresource !== '' || call.identity.groups.includes(MASTERS)) return;
  const [spec, before] = [child(object, 'spec'), child(previous ?? {}, 'spec')];
  if (POLICIES.has(resource)) {
    if (spec['paramKind'] === undefined || isDeepStrictEqual(spec['paramKind'], before['paramKind'])) return;
    if (mayRead(call, deps, child(spec, 'paramKind'), { verb: 'get', name: '*', namespace: '*' })) return;
    const [kind, apiVersion] = ['kind', 'apiVersion'].map((field) => text(child(spec, 'paramKind'), field));
    const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
    throw refusal(
      call,
      object,
      'spec.paramKind',
      `user ${userText(call.identity)} must have "get" permission on ${what}`,
    );
  }
  const policies = BOUND.get(resource);
  if (policies === undefined || spec['paramRef'] === undefined) return;
  const isSame = ['paramRef', 'policyName'].every((field) => isDeepStrictEqual(spec[field], before[field]));
  if (isSame) return;
  const reference = child(spec, 'paramRef');
  const [name, namespace] = [text(reference, 'name'), text(reference, 'namespace')];
  const verb = name === '' ? 'list' : 'get';
  const policy = await readPolicy(call, deps, policies, text(spec, 'policyName'));
  if (mayRead(call, deps, child(child(policy ?? {}, 'spec'), 'paramKind'), { verb, name, namespace })) return;
  const user = userText(call.identity);
  const why =
    policy === undefined
      ? `unable to get policy ${text(spec, 'policyName')} to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`
      : `user ${user} does not have "${verb}" permission on the object referenced by paramRef`;
  throw refusal(call, object, 'spec.paramRef', why);
}

/** @param paramKind of which nothing is known: everything must be readable then */
function mayRead(
  call: Call,
  deps: VerbDeps,
  paramKind: JsonObject,
  of: { readonly verb: string; readonly name: string; readonly namespace: string },
): boolean {
  const apiVersion = text(paramKind, 'apiVersion');
  const [group, version] = splitApiVersion(apiVersion);
  const at = call.scope.kinds.byKind(call.scope.tenant, group, version, text(paramKind, 'kind'));
  return deps.allows(call, {
    isResource: true,
    ...of,
    group: apiVersion === '' ? '*' : group,
    resource: at?.kind.resource ?? '*',
    subresource: '',
  });
}

async function readPolicy(call: Call, deps: VerbDeps, resource: string, name: string): Promise<JsonObject | undefined> {
  const at = call.scope.kinds.byResource(call.scope.tenant, GROUP, call.info.version, resource);
  if (at === undefined || name === '') return undefined;
  const info = { ...call.info, verb: 'get' as const, resource, name, subresource: '', query: new Map() };
  try {
    const reply = await get({ ...call, at, info, body: undefined, accept: { media: 'json', as: undefined } }, deps);
    return reply.kind === 'object' && reply.status === 200 ? reply.object : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
    throw error;
  }
}

function refusal(call: Call, object: JsonObject, field: string, why: string): ApiError {
  const of = { group: GROUP, what: call.at.kind.kind, name: nameOf(object) };
  return invalid(of, [forbiddenField(field, why)]);
}

/** As Go prints a user. */
function userText({ username, uid, groups, extra }: Identity): string {
  const more = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`;
}

/** `validatingadmissionpolicybindings` */
function bindingsOf(policies: string): string {
  return policies.replace(/policies$/, 'policybindings');
}
