/**
 * One value that an adapter tells, judged and put into tenant terms: of the object that was asked about or one of those, in
 * the fields that a value has at the request's version. What is none of these is not shown.
 */
import { writeLabelSelector } from '../k8s/label-selector.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseQuantity } from '../k8s/quantity.ts';
import { child, text } from '../k8s/read.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { OWN_NAME_PREFIX } from '../tenancy/host-names.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import { nameToTenant } from '../translate/names-check.ts';
import { NotOurs } from '../translate/not-ours.ts';
import type { Call } from './call.ts';
import { mayTell } from './egress-check.ts';

/** All objects of a kind that labels select. */
export const ALL = '*';

export interface Asked {
  /** The request to the adapter. */
  readonly call: Call;
  /** The same as if it were for the objects themselves; undefined when it is for the namespace. */
  readonly of: Call | undefined;
  /** Upstream. */
  readonly namespace: string;
  /** Of the object, upstream, or {@link ALL}. */
  readonly name: string;
  readonly metric: string;
  /** Over labels of values, as the client sent it. */
  readonly selector: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** @throws {NotOurs} for a value of something else, or of another form */
export function valueToTenant(told: JsonValue, asked: Asked): JsonObject {
  if (!isObject(told)) throw new NotOurs('a metric without a value');
  const { call, metric } = asked;
  const isFirstVersion = call.at.version === 'v1beta1';
  const identifier = child(told, 'metric');
  const named = isFirstVersion ? text(told, 'metricName') : text(identifier, 'name');
  const { timestamp, value } = told;
  const window = told[isFirstVersion ? 'window' : 'windowSeconds'];
  if (named !== metric) throw new NotOurs(`the metric ${JSON.stringify(named)} where ${metric} was asked for`);
  if (typeof value !== 'string' || parseQuantity(value) === undefined)
    throw new NotOurs('a metric that is no quantity');
  const hasSelector = isObject((isFirstVersion ? told : identifier)['selector']);
  const selector = hasSelector ? writeLabelSelector(parseLabelSelector(asked.selector)) : null;
  const times = {
    timestamp: typeof timestamp === 'string' && TIME.test(timestamp) ? timestamp : null,
    ...(Number.isSafeInteger(window) && { [isFirstVersion ? 'window' : 'windowSeconds']: window }),
  } as JsonObject;
  const describedObject = describedToTenant(child(told, 'describedObject'), asked);
  return isFirstVersion
    ? { describedObject, metricName: metric, ...times, value, selector }
    : { describedObject, metric: { name: metric, selector }, ...times, value };
}

function describedToTenant(told: JsonObject, asked: Asked): JsonObject {
  const { call, of } = asked;
  if (of === undefined) {
    const isIt = text(told, 'kind') === 'Namespace' && text(told, 'name') === asked.namespace;
    if (!isIt) throw new NotOurs('a metric of something else than the namespace');
    return { kind: 'Namespace', name: call.info.namespace, apiVersion: 'v1' };
  }
  if (!mayTell(of, told, asked)) throw new NotOurs('a metric of an object that was not asked about');
  const { kind, version } = of.at;
  const name = nameToTenant(text(told, 'name') as UpstreamName, of.at, call.scope);
  if (name === undefined || name.startsWith(OWN_NAME_PREFIX)) throw new NotOurs(`a metric of ${kind.kind} of our own`);
  return { kind: kind.kind, namespace: call.info.namespace, name, apiVersion: apiVersionOf(kind.group, version) };
}
