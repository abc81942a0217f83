/**
 * One metric of the tenant's own objects, as the host's adapter tells it (`custom.metrics.k8s.io`): of one object, of all
 * that labels select in a namespace, or of the namespace itself. What an autoscaler of the tenant goes by, its owner may
 * read, and no more: never a metric of what is cluster-scoped, which no host's RBAC could tell apart by tenant.
 *
 * Whoever runs the adapter may have it say anything. So a refusal of it is told in our own words, and its values are made
 * anew of the fields that are known, each of an object that was asked about.
 *
 * @see k8s.io/metrics pkg/apis/custom_metrics/v1beta2/types.go and v1beta1/types.go at v0.36
 * @see sigs.k8s.io/custom-metrics-apiserver pkg/apiserver/installer/cmhandlers.go at v1.36
 */
import { ApiError, busy, unavailable, unreadable } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { nameRuleOf } from '../k8s/name-rules.ts';
import { qualified } from '../k8s/status-texts.ts';
import { apiVersionOf, splitApiVersion } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { splitResource } from '../kinds/resource-name.ts';
import { NOTHING_LABEL } from '../tenancy/host-names.ts';
import type { TenantName } from '../tenancy/names.ts';
import { shownOr } from '../translate/not-ours.ts';
import { selectorsToUpstream } from '../translate/selectors.ts';
import type { Call, VerbDeps } from './call.ts';
import { ALL, type Asked, valueToTenant } from './metric-value.ts';
import type { Pairs } from './query.ts';
import { isGuarded, routeInNamespace } from './route.ts';
import { type Answer, isSuccess, sendRead } from './send.ts';
import { upstreamNameOf } from './upstream-name.ts';

/** @throws {ApiError} ERR_NOT_FOUND for what is not measured, or is not the tenant's: the two look alike */
export async function metricValues(call: Call, deps: VerbDeps): Promise<Reply> {
  const asked = askedBy(call);
  const { at, info } = call;
  const upstreamResource = asked.of === undefined ? info.resource : upstreamResourceOf(asked.of.at);
  const toAdapter: Call = { ...call, at: { ...at, upstreamResource } };
  const route = routeInNamespace(toAdapter, deps, 'read');
  // In a namespace that is not there, or not guarded, nobody measures anything for the tenant.
  if (route.identity.as !== 'tenant') throw notTold(call, asked);
  const answer = await sendRead(toAdapter, deps, route, {
    ...(asked.of === undefined ? { name: asked.metric } : { name: asked.name, subresource: asked.metric }),
    query: selectors(call, asked),
  });
  if (!isSuccess(answer)) throw refusal(call, asked, answer);
  const { kind, items: told } = answer.document;
  if (kind !== at.kind.kind || !Array.isArray(told)) {
    throw unreadable();
  }
  const items = told.flatMap((value) => {
    const shown = shownOr(
      () => valueToTenant(value, asked),
      (error) => deps.onLeftOut(call, error),
    );
    return shown === undefined ? [] : [shown];
  });
  if (items.length === 0 && asked.name !== ALL) throw notTold(call, asked);
  const object = { kind, apiVersion: apiVersionOf(at.kind.group, at.version), metadata: {}, items };
  return { kind: 'object', status: 200, object };
}

/** What a request asks about. @throws {ApiError} ERR_NOT_FOUND for what the tenant has no objects of */
function askedBy(call: Call): Asked {
  const { info, scope } = call;
  const namespace = scope.names.up(info.namespace as TenantName);
  const selector = info.query.get('metricLabelSelector') ?? '';
  if (info.subresource === '') return { call, of: undefined, namespace, name: namespace, metric: info.name, selector };
  const { group, resource } = splitResource(info.resource);
  const asked = { call, namespace, name: info.name, metric: info.subresource, selector };
  const at = scope.kinds.preferredByResource(call.tenant, group, resource);
  if (at === undefined || !isMeasured(at)) throw notTold(call, asked);
  const of: Call = { ...call, at, info: { ...info, group, resource, version: at.version, subresource: '' } };
  if (info.name === ALL) return { ...asked, of };
  if (nameRuleOf(group, resource).problem(info.name) !== undefined) throw notTold(call, asked);
  return { ...asked, of, name: upstreamNameOf(of) };
}

/** Objects that the tenant has upstream as they are, in its namespaces. Nobody measures what guards are made of. */
function isMeasured(at: KindAtVersion): boolean {
  const { kind } = at;
  return (
    at.class === 'native' && kind.namespaced && !kind.measured && kind.answeredBy === undefined && !isGuarded({ at })
  );
}

/** As adapters take it, whole: a short name could be of anybody's kind. */
function upstreamResourceOf(at: KindAtVersion): string {
  return qualified(splitApiVersion(at.upstreamApiVersion)[0], at.upstreamResource);
}

/** Which objects, by their labels, and which of the values that the adapter has of each, by labels of those. */
function selectors(call: Call, { of }: Asked): Pairs {
  const { query } = call.info;
  const pairs = [
    ['labelSelector', of?.at ?? call.at],
    ['metricLabelSelector', call.at],
  ] as const;
  return pairs.flatMap(([name, at]) => {
    const { label, nothing } = selectorsToUpstream({ label: query.get(name) ?? '', field: '' }, at, call.scope);
    const value = nothing ? NOTHING_LABEL : label;
    return value === '' ? [] : [[name, value] as const];
  });
}

/** In the words of the library that adapters are made of. */
function notTold({ info }: Call, { name, metric }: Pick<Asked, 'name' | 'metric'>, cause?: unknown): ApiError {
  const of =
    info.subresource === '' ? `namespaces ${info.namespace}` : `${info.resource}${name === ALL ? '' : ` ${info.name}`}`;
  return new ApiError('ERR_NOT_FOUND', `the server could not find the metric ${metric} for ${of}`, { cause });
}

function refusal(call: Call, asked: Asked, { status, document }: Answer): ApiError {
  const cause = new Error(`the adapter answered ${status}: ${String(document['message'])}`);
  if (status === 404) return notTold(call, asked, cause);
  if (status === 429) return busy(cause);
  if (status >= 500 || status === 403) return unavailable(cause);
  return new ApiError('ERR_BAD_REQUEST', `the metric ${asked.metric} cannot be read in this way`, { cause });
}
