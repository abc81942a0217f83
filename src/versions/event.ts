/**
 * Events in the shapes of `v1` and of `events.k8s.io/v1`: the same fields by other names.
 * @see kubernetes pkg/apis/events/v1/conversion.go at v1.36
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** A field by its name in either group, with what the API server writes where it is empty; undefined: nothing. */
interface Field {
  readonly core: string;
  readonly events: string;
  readonly emptyInCore?: JsonValue;
  readonly emptyInEvents?: JsonValue;
}

const same = (name: string): Field => ({ core: name, events: name });

const FIELDS: readonly Field[] = [
  same('metadata'),
  { core: 'involvedObject', events: 'regarding', emptyInCore: {}, emptyInEvents: {} },
  same('reason'),
  { core: 'message', events: 'note' },
  { core: 'source', events: 'deprecatedSource', emptyInCore: {}, emptyInEvents: {} },
  { core: 'firstTimestamp', events: 'deprecatedFirstTimestamp', emptyInCore: null, emptyInEvents: null },
  { core: 'lastTimestamp', events: 'deprecatedLastTimestamp', emptyInCore: null, emptyInEvents: null },
  { core: 'count', events: 'deprecatedCount' },
  same('type'),
  { core: 'eventTime', events: 'eventTime', emptyInCore: null, emptyInEvents: null },
  same('action'),
  same('related'),
  { core: 'reportingComponent', events: 'reportingController', emptyInCore: '' },
  { core: 'reportingInstance', events: 'reportingInstance', emptyInCore: '' },
];

/** `events.k8s.io/v1` from `v1`. */
export function eventToEvents(event: JsonObject): JsonObject {
  const made: JsonObject = { apiVersion: 'events.k8s.io/v1', kind: 'Event' };
  for (const { core, events, emptyInEvents } of FIELDS) setField(made, events, event[core], emptyInEvents);
  return withSeries(made, event, (count) => ({ count: count ?? 0 }));
}

/** `v1` from `events.k8s.io/v1`. */
export function eventToCore(event: JsonObject): JsonObject {
  const made: JsonObject = { apiVersion: 'v1', kind: 'Event' };
  for (const { core, events, emptyInCore } of FIELDS) setField(made, core, event[events], emptyInCore);
  return withSeries(made, event, (count) => (isEmpty(count) ? {} : { count: count ?? 0 }));
}

function setField(made: JsonObject, name: string, value: JsonValue | undefined, empty: JsonValue | undefined): void {
  const written = isEmpty(value) ? empty : value;
  if (written !== undefined) made[name] = written;
}

/** What Go takes for empty, of numbers, texts and times. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}

function withSeries(made: JsonObject, event: JsonObject, counted: (count: JsonValue | undefined) => JsonObject) {
  const { series } = event;
  if (!isObject(series)) return made;
  const { count, lastObservedTime = null } = series;
  return { ...made, series: { ...counted(count), lastObservedTime } };
}
