/** Mutating policies that do what one had better not, and requests that meet them: each by a label of the object. */
import type { JsonObject } from '../../src/k8s/types.ts';
import { binding, deployment, match, policy, type Sent } from './admission-vectors.ts';

const applying = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patching = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const noting = (value: string) => applying(`Object{metadata: Object.metadata{annotations: {'noted': ${value}}}}`);

/** The mutations of each policy, in their order. */
const MUTATIONS: Readonly<Record<string, readonly JsonObject[]>> = {
  'other-kind': [patching("[JSONPatch{op: 'replace', path: '/kind', value: 'Nothing'}]")],
  'other-version': [patching("[JSONPatch{op: 'replace', path: '/apiVersion', value: 'apps/v9'}]")],
  'no-kind': [patching("[JSONPatch{op: 'remove', path: '/kind'}]"), noting("'without a kind'")],
  'kind-said': [applying("Object{apiVersion: 'v1', kind: 'Secret', metadata: Object.metadata{labels: {'a': 'b'}}}")],
  undeclared: [applying('Object{spec: Object.spec{nope: 1}}')],
  'wrong-sort': [applying("Object{spec: Object.spec{replicas: 'many'}}")],
  'fails-twice': [applying('Object{spec: Object.spec{nope: 1}}'), noting("'between'"), applying('Object{nope: 1}')],
  'goes-on': [applying('Object{spec: Object.spec{nope: 1}}'), noting("'after a failure'")],
  renamed: [applying("Object{metadata: Object.metadata{name: 'renamed'}}")],
  'other-uid': [applying("Object{metadata: Object.metadata{uid: 'another'}}")],
  'chooses-next': [applying("Object{metadata: Object.metadata{labels: {'odd-next': ''}}}")],
  defaults: [
    applying(
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'side', image: 'car'}]}}}}",
    ),
    noting("object.spec.template.spec.containers.map(c, c.?imagePullPolicy.orValue('none')).join(' ')"),
  ],
};

const constraints = (labels: JsonObject): JsonObject => ({
  ...match('deployments'),
  objectSelector: { matchLabels: labels },
});

export const ODD_POLICIES: readonly JsonObject[] = [
  ...Object.entries(MUTATIONS).flatMap(([name, mutations]) => [
    policy('Mutating', `odd-${name}`, {
      failurePolicy: name === 'goes-on' ? 'Ignore' : 'Fail',
      reinvocationPolicy: 'Never',
      matchConstraints: constraints({ odd: name }),
      mutations: [...mutations],
    }),
    binding('Mutating', `odd-${name}`, `odd-${name}`),
  ]),
  // Of objects that another policy has labelled: which policies are meant is decided before.
  policy('Mutating', 'odd-next', {
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: constraints({ 'odd-next': '' }),
    mutations: [noting("'meant'")],
  }),
  binding('Mutating', 'odd-next', 'odd-next'),
];

export const ODD_REQUESTS: readonly Sent[] = Object.keys(MUTATIONS).flatMap((name) => {
  const of = (kept: string) => deployment(kept, {}, { labels: { odd: name } });
  return [
    { title: `a creation that meets ${name}`, method: 'POST', path: '?dryRun=All', body: of(`odd-${name}`) },
    { title: `an update that meets ${name}`, method: 'PUT', path: '/marked-old?dryRun=All', body: of('marked-old') },
  ];
});
