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

export const STANDARDS = /violates PodSecurity|of these sources only/;
