/**
 * What an autoscaler measures, as `autoscaling/v2` has it in fields and `v1` in annotations.
 * @see kubernetes pkg/apis/autoscaling/v1/conversion.go at v1.36
 */
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** A field: its name in v1, its place in v2, and what v1 says where there is none. In the order in which v1 writes them. */
type Field = readonly [v1: string, v2: readonly [string] | readonly [string, string], empty?: JsonValue];
/** By the sort of a metric, the name of its field in both. */
type Fields = Readonly<Record<string, readonly Field[]>>;

const ZERO = '0';
const UTILIZATION = 'averageUtilization';

const SPEC: Fields = {
  object: [
    ['target', ['describedObject'], {}],
    ['metricName', ['metric', 'name'], ''],
    ['targetValue', ['target', 'value'], ZERO],
    ['selector', ['metric', 'selector']],
    ['averageValue', ['target', 'averageValue']],
  ],
  pods: [
    ['metricName', ['metric', 'name'], ''],
    ['targetAverageValue', ['target', 'averageValue'], ZERO],
    ['selector', ['metric', 'selector']],
  ],
  resource: [
    ['name', ['name'], ''],
    ['targetAverageUtilization', ['target', UTILIZATION]],
    ['targetAverageValue', ['target', 'averageValue']],
  ],
  containerResource: [
    ['name', ['name'], ''],
    ['targetAverageUtilization', ['target', UTILIZATION]],
    ['targetAverageValue', ['target', 'averageValue']],
    ['container', ['container'], ''],
  ],
  external: [
    ['metricName', ['metric', 'name'], ''],
    ['metricSelector', ['metric', 'selector']],
    ['targetValue', ['target', 'value']],
    ['targetAverageValue', ['target', 'averageValue']],
  ],
};

const STATUS: Fields = {
  object: [
    ['target', ['describedObject'], {}],
    ['metricName', ['metric', 'name'], ''],
    ['currentValue', ['current', 'value'], ZERO],
    ['selector', ['metric', 'selector']],
    ['averageValue', ['current', 'averageValue']],
  ],
  pods: [
    ['metricName', ['metric', 'name'], ''],
    ['currentAverageValue', ['current', 'averageValue'], ZERO],
    ['selector', ['metric', 'selector']],
  ],
  resource: [
    ['name', ['name'], ''],
    ['currentAverageUtilization', ['current', UTILIZATION]],
    ['currentAverageValue', ['current', 'averageValue'], ZERO],
  ],
  containerResource: [
    ['name', ['name'], ''],
    ['currentAverageUtilization', ['current', UTILIZATION]],
    ['currentAverageValue', ['current', 'averageValue'], ZERO],
    ['container', ['container'], ''],
  ],
  external: [
    ['metricName', ['metric', 'name'], ''],
    ['metricSelector', ['metric', 'selector']],
    ['currentValue', ['current', 'value'], ZERO],
    ['currentAverageValue', ['current', 'averageValue']],
  ],
};

/** An item of `spec.metrics`. */
export function metricSpecToV1(metric: JsonObject): JsonObject {
  return toV1(metric, SPEC);
}

export function metricSpecToV2(metric: JsonObject): JsonObject {
  const made = toV2(metric, SPEC);
  for (const [sort, source] of Object.entries(made)) if (isObject(source)) source['target'] = targetOf(sort, source);
  return made;
}

/** An item of `status.currentMetrics`. */
export function metricStatusToV1(metric: JsonObject): JsonObject {
  return toV1(metric, STATUS);
}

export function metricStatusToV2(metric: JsonObject): JsonObject {
  return toV2(metric, STATUS);
}

function toV1(metric: JsonObject, sorts: Fields): JsonObject {
  const made: JsonObject = { type: metric['type'] ?? '' };
  for (const [sort, fields] of Object.entries(sorts)) {
    const source = metric[sort];
    if (!isObject(source)) continue;
    const own: JsonObject = {};
    for (const [name, [outer, inner], empty] of fields) {
      const value = (inner === undefined ? source[outer] : child(source, outer)[inner]) ?? empty;
      if (value !== undefined) own[name] = value;
    }
    made[sort] = own;
  }
  return made;
}

function toV2(metric: JsonObject, sorts: Fields): JsonObject {
  const made: JsonObject = { type: metric['type'] ?? '' };
  for (const [sort, fields] of Object.entries(sorts)) {
    const source = metric[sort];
    if (!isObject(source)) continue;
    const own: JsonObject = {};
    for (const [name, [outer, inner], empty] of fields) {
      const value = source[name] ?? empty;
      if (value === undefined) continue;
      if (inner === undefined) own[outer] = value;
      else own[outer] = { ...child(own, outer), [inner]: value };
    }
    made[sort] = own;
  }
  return made;
}

/** With its type, which v1 does not say. */
function targetOf(sort: string, source: JsonObject): JsonObject {
  const { value, ...averages } = child(source, 'target');
  if (sort === 'pods') return { type: 'AverageValue', ...averages };
  if (sort === 'resource' || sort === 'containerResource') {
    return { type: averages[UTILIZATION] === undefined ? 'AverageValue' : 'Utilization', ...averages };
  }
  const isAverage = sort === 'external' ? value === undefined : averages['averageValue'] !== undefined;
  const type = isAverage ? 'AverageValue' : 'Value';
  // v1 cannot leave the value of an object out, and says 0.
  const isSaid = value !== undefined && !(isAverage && value === ZERO);
  return isSaid ? { type, value, ...averages } : { type, ...averages };
}
