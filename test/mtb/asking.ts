/** What the benchmarks ask, and of whom. */
import type { KubeClient } from '../../src/dev/kube-client.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type MtbLab, must, textOf } from './lab.ts';

export interface Benchmark {
  readonly id: string;
  readonly title: string;
  /** Why it does not hold; undefined when it does. */
  run(lab: MtbLab): Promise<string | undefined>;
}

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const NETWORKING = '/apis/networking.k8s.io/v1';
export const DEFAULT = '/api/v1/namespaces/default';
export const UPSTREAM = '/api/v1/namespaces/acme--default';
export const DRY = '?dryRun=All';

const SAFE = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export function pod(spec: JsonObject = {}, container: JsonObject = {}): JsonObject {
  const { securityContext = {}, ...more } = container;
  const image = {
    name: 'a',
    image: 'nginx',
    securityContext: { ...SAFE, ...(securityContext as JsonObject) },
    ...more,
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [image], ...spec } };
}

/** The request must be refused with 403 and these words. */
export async function refused(
  client: KubeClient,
  path: string,
  object: JsonObject,
  why: RegExp,
  method = 'POST',
): Promise<string | undefined> {
  const answer = await client.send(method, path, object);
  if (answer.status === 403 && why.test(textOf(answer))) return undefined;
  return `should be refused (${why.source}), but: ${textOf(answer)}`;
}

export async function refusedPod({ acme }: MtbLab, object: JsonObject, why: RegExp): Promise<string | undefined> {
  await must(acme, 'POST', `${DEFAULT}/pods${DRY}`, pod());
  return await refused(acme, `${DEFAULT}/pods${DRY}`, object, why);
}

/** A container that is refused wherever in a pod it stands, also in one that is there already. */
export async function refusedContainer(lab: MtbLab, container: JsonObject, why: RegExp): Promise<string | undefined> {
  const whole = pod({}, container);
  const { containers = [] } = whole['spec'] as { containers?: JsonObject[] };
  const [bad = {}] = containers;
  const { name } = (await must(lab.acme, 'POST', `${DEFAULT}/pods`, generated(pod())))['metadata'] as { name: string };
  const debug = (one: JsonObject) => ({ spec: { ephemeralContainers: [{ ...one, name: 'debug', image: 'nginx' }] } });
  const path = `${DEFAULT}/pods/${name}`;
  const ask = (one: JsonObject) =>
    lab.acme.send('PATCH', `${path}/ephemeralcontainers${DRY}`, debug(one), 'application/strategic-merge-patch+json');
  const [good = {}] = (pod()['spec'] as { containers: JsonObject[] }).containers;
  const [added, refusedOne] = [await ask(good), await ask(bad)];
  await must(lab.acme, 'DELETE', `${path}?gracePeriodSeconds=0`);
  if (added.status !== 200) return `a harmless container cannot be added: ${textOf(added)}`;
  if (refusedOne.status !== 403 || !why.test(textOf(refusedOne))) return `it can be added: ${textOf(refusedOne)}`;
  return (
    (await refusedPod(lab, whole, why)) ??
    (await refusedPod(lab, pod({ initContainers: [{ ...bad, name: 'init' }] }), why))
  );
}

function generated(object: JsonObject): JsonObject {
  return { ...object, metadata: { generateName: 'mtb-' } };
}

export const STANDARDS = /violates PodSecurity|of these sources only/;
