/** What a tenant's own admission is told of a request, and how it looks further: all in the tenant's terms. */
import { cloneJson } from '../codec/json.ts';
import { nameOf } from '../k8s/meta.ts';
import { objects, strings, text } from '../k8s/read.ts';
import { type Gvk, isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { AdmissionOperation, AdmissionSubject, ParameterPlace } from '../ports.ts';
import type { TenantName } from '../tenancy/names.ts';
import { toTenant } from '../translate/object.ts';
import { bodyTypeOf } from './body-type.ts';
import type { Call, VerbDeps } from './call.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { convertTo, equivalentsOf } from './equivalents.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { isDryRun } from './query.ts';
import { isNamespaces } from './route.ts';

/** @param name where the URL has none: that of the object */
export function subjectOf(
  call: Call,
  deps: VerbDeps,
  operation: AdmissionOperation,
  name = call.info.name,
): AdmissionSubject {
  const { group, version, resource, subresource, query } = call.info;
  const namespace = isNamespaces(call) ? name : call.info.namespace;
  const options = optionsOf(call, operation);
  return {
    tenant: call.tenant,
    identity: call.identity,
    operation,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    kind: operation === 'DELETE' ? { group, version, kind: call.at.kind.kind } : bodyKindOf(call),
    dryRun: isDryRun(query) || (Array.isArray(options['dryRun']) && options['dryRun'].length > 0),
    options,
    signal: call.head.signal,
    namespaceObject: () => namespaceObject(call, deps, namespace),
    find: (kind, where) => find(call, deps, kind, where),
    isNamespaced: (kind) => kindAt(call, kind)?.kind.namespaced,
    equivalents: () => equivalentsOf(call),
    convert: (objects, apiVersion) => convertTo(call, deps, objects, apiVersion),
  };
}

function bodyKindOf(call: Call): Gvk {
  const { apiVersion, kind } = bodyTypeOf(call);
  const [group, version] = splitApiVersion(apiVersion);
  return { group, version, kind };
}

const KINDS: Readonly<Record<AdmissionOperation, string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'ConnectOptions',
};

/** As the API server makes them of the query; of a deletion, with what its body says. A patch is an update or a creation. */
function optionsOf(call: Call, operation: AdmissionOperation): JsonObject {
  const options: JsonObject = { kind: KINDS[operation], apiVersion: 'meta.k8s.io/v1' };
  for (const [name, value] of call.info.query) {
    if (name === 'dryRun') options[name] = [value];
    else if (name === 'fieldManager' || name === 'fieldValidation' || name === 'propagationPolicy')
      options[name] = value;
    else if (name === 'gracePeriodSeconds') options[name] = Number(value);
  }
  return operation === 'DELETE' ? { ...options, ...deleteOptionsOf(call), apiVersion: 'meta.k8s.io/v1' } : options;
}

function namespaceObject(call: Call, deps: VerbDeps, namespace: string): JsonObject | undefined {
  if (namespace === '' || isNamespaces(call)) return undefined;
  const at = call.scope.kinds.byResource(call.tenant, '', 'v1', 'namespaces');
  const stored = deps.namespaces.get(call.tenant.id, namespace as TenantName);
  if (stored !== undefined && at !== undefined) return toTenant(cloneJson(stored), at, call.scope);
  return deps.standing(call.tenant, '', 'namespaces').find((one) => nameOf(one) === namespace);
}

function kindAt(call: Call, { group, version, kind }: Gvk) {
  return call.scope.kinds.byKind(call.tenant, group, version, kind);
}

async function find(
  call: Call,
  deps: VerbDeps,
  kind: Gvk,
  { namespace, name, selector }: ParameterPlace,
): Promise<readonly JsonObject[] | undefined> {
  const at = kindAt(call, kind);
  if (at === undefined) return undefined;
  const query = new Map(selector === undefined ? [] : [['labelSelector', selectorText(selector)]]);
  const { group, resource } = at.kind;
  const place = { namespace: namespace as TenantName | '', name: name ?? '', subresource: '', rest: [], query };
  const verb = name === undefined ? ('list' as const) : ('get' as const);
  const plain = { media: 'json', as: undefined } as const;
  const asked: Call = {
    ...call,
    at,
    accept: plain,
    body: undefined,
    info: { ...call.info, verb, group, version: at.version, resource, ...place },
  };
  const reply = await (name === undefined ? list(asked, deps) : get(asked, deps).catch(undefinedIfNotFound));
  if (reply === undefined || reply.kind !== 'object' || reply.status !== 200) return [];
  // Items of a list carry neither; an expression may ask for both.
  const type = { apiVersion: group === '' ? at.version : `${group}/${at.version}`, kind: at.kind.kind };
  return name === undefined ? objects(reply.object, 'items').map((item) => ({ ...type, ...item })) : [reply.object];
}

function undefinedIfNotFound(error: unknown): undefined {
  if (isObject(error as JsonObject) && (error as { status?: unknown }).status === 404) return undefined;
  throw error;
}

/** A LabelSelector as text: `a=b,c in (d,e)`. */
function selectorText(selector: JsonObject): string {
  const { matchLabels } = selector;
  const labels = isObject(matchLabels) ? Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`) : [];
  const terms = objects(selector, 'matchExpressions').map((expression) => {
    const key = text(expression, 'key');
    const values = `(${strings(expression, 'values').join(',')})`;
    const operators: Readonly<Record<string, string>> = {
      In: `${key} in ${values}`,
      NotIn: `${key} notin ${values}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    return operators[text(expression, 'operator')] ?? `${key} in ()`;
  });
  return [...labels, ...terms].join(',');
}
