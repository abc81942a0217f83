/**
 * What a virtual kind has where a client says nothing: data, by path. The same data stands as `default` in the schema of
 * the host's CRD, so that upstream fills it in after a server-side apply, whose owner does not own it then.
 *
 * A path is dots between fields, `[]` for every item of a list. A default is filled in where its parent is there; a
 * parent that is filled in itself comes first.
 *
 * @see k8s.io/kubernetes pkg/apis/<group>/v1/defaults.go at v1.36
 */
import { cloneJson } from '../codec/json.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

export type Defaults = Readonly<Record<string, JsonValue>>;

const ADMISSION = 'admissionregistration.k8s.io';

const WEBHOOK: Defaults = {
  'webhooks[].failurePolicy': 'Fail',
  'webhooks[].matchPolicy': 'Equivalent',
  'webhooks[].namespaceSelector': {},
  'webhooks[].objectSelector': {},
  'webhooks[].timeoutSeconds': 10,
  'webhooks[].rules[].scope': '*',
  'webhooks[].clientConfig.service.port': 443,
};

function match(path: string): Defaults {
  return {
    [`${path}.matchPolicy`]: 'Equivalent',
    [`${path}.namespaceSelector`]: {},
    [`${path}.objectSelector`]: {},
    [`${path}.resourceRules[].scope`]: '*',
    [`${path}.excludeResourceRules[].scope`]: '*',
  };
}

const POLICY: Defaults = { 'spec.failurePolicy': 'Fail', ...match('spec.matchConstraints') };
const BINDING: Defaults = match('spec.matchResources');

const LEVEL: Defaults = {
  'spec.limited.nominalConcurrencyShares': 30,
  'spec.limited.lendablePercent': 0,
  'spec.limited.limitResponse.queuing.queues': 64,
  'spec.limited.limitResponse.queuing.handSize': 8,
  'spec.limited.limitResponse.queuing.queueLengthLimit': 50,
  'spec.exempt.nominalConcurrencyShares': 0,
  'spec.exempt.lendablePercent': 0,
};

const DRIVER: Defaults = {
  spec: {},
  'spec.attachRequired': true,
  'spec.podInfoOnMount': false,
  'spec.storageCapacity': false,
  'spec.fsGroupPolicy': 'ReadWriteOnceWithFSType',
  'spec.volumeLifecycleModes': ['Persistent'],
  'spec.requiresRepublish': false,
  'spec.seLinuxMount': false,
};

const DEFAULTS: ReadonlyMap<string, Defaults> = new Map([
  [`${ADMISSION}/mutatingwebhookconfigurations`, { ...WEBHOOK, 'webhooks[].reinvocationPolicy': 'Never' }],
  [`${ADMISSION}/validatingwebhookconfigurations`, WEBHOOK],
  [`${ADMISSION}/validatingadmissionpolicies`, POLICY],
  [`${ADMISSION}/validatingadmissionpolicybindings`, BINDING],
  [`${ADMISSION}/mutatingadmissionpolicies`, POLICY],
  [`${ADMISSION}/mutatingadmissionpolicybindings`, BINDING],
  ['flowcontrol.apiserver.k8s.io/flowschemas', { 'spec.matchingPrecedence': 1000 }],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', LEVEL],
  ['apiregistration.k8s.io/apiservices', { 'spec.service.port': 443 }],
  ['storage.k8s.io/csidrivers', DRIVER],
]);

/** The defaults of a kind that data can say. */
export function defaultsOf(group: string, resource: string): Defaults {
  return DEFAULTS.get(`${group}/${resource}`) ?? {};
}

/** Fills in, in place, what is left out. */
export function fillIn(object: JsonObject, defaults: Defaults): void {
  for (const [path, value] of Object.entries(defaults)) fillAt(object, path.split('.'), value);
}

function fillAt(object: JsonValue | undefined, [step = '', ...rest]: string[], value: JsonValue): void {
  if (!isObject(object)) return;
  const isList = step.endsWith('[]');
  const key = isList ? step.slice(0, -2) : step;
  if (rest.length === 0) {
    if (object[key] === undefined) object[key] = cloneJson(value);
    return;
  }
  const below = object[key];
  if (!isList) fillAt(below, rest, value);
  else if (Array.isArray(below)) for (const item of below) fillAt(item, rest, value);
}
