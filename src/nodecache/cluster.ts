/**
 * What the node cache has to know of its cluster: which one it is, whose client certificates count, and as whom the node's
 * own credential goes. Asked until it is answered, and then again now and then: authorities are rotated.
 */
import type { X509Certificate } from 'node:crypto';
import { readObject } from '../codec/json.ts';
import { uidOf } from '../k8s/meta.ts';
import { child, strings, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { pause, untilDone } from '../lib/backoff.ts';
import type { Upstream, UpstreamRequest } from '../ports.ts';
import { authoritiesOf } from './certificates.ts';

export interface ClusterFacts {
  /** Of the namespace `kube-system`, which is as old as the cluster. */
  readonly uid: string;
  readonly authorities: readonly X509Certificate[];
  /** The user of the node's own credential; undefined without one. */
  readonly node: { readonly username: string; readonly groups: readonly string[] } | undefined;
}

export interface Cluster {
  /** Undefined before it is known. */
  facts(): ClusterFacts | undefined;
  /** Rejects when the signal fires before. */
  whenKnown(): Promise<void>;
}

export interface ClusterOptions {
  readonly own: Upstream;
  readonly node: Upstream | undefined;
  /** Client CA bundle; undefined asks the cluster for the one that it publishes. */
  readonly clientCaPem: string | undefined;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const AGAIN_MS = 5 * 60_000;
const AUTHENTICATION = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

export function followCluster(options: ClusterOptions): Cluster {
  const { signal, onError } = options;
  let facts: ClusterFacts | undefined;
  const look = async (): Promise<void> => {
    facts = await untilDone(signal, onError, () => ask(options));
  };
  const known = look();
  known.catch(() => {});
  void (async () => {
    await known.catch(() => {});
    while (await pause(AGAIN_MS, signal)) await look().catch(() => {});
  })();
  return { facts: () => facts, whenKnown: () => known };
}

async function ask({ own, node, clientCaPem }: ClusterOptions): Promise<ClusterFacts> {
  const [namespace, bundle, user] = await Promise.all([
    read(own, { method: 'GET', path: '/api/v1/namespaces/kube-system' }),
    clientCaPem ?? publishedBundle(own),
    node && whoIs(node),
  ]);
  return { uid: uidOf(namespace), authorities: authoritiesOf(bundle), node: user };
}

/** @see https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/ */
async function publishedBundle(own: Upstream): Promise<string> {
  return text(child(await read(own, { method: 'GET', path: AUTHENTICATION }), 'data'), 'client-ca-file');
}

async function whoIs(upstream: Upstream): Promise<ClusterFacts['node']> {
  const review = await read(upstream, {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  });
  const user = child(child(review, 'status'), 'userInfo');
  return { username: text(user, 'username'), groups: strings(user, 'groups') };
}

async function read(upstream: Upstream, request: Omit<UpstreamRequest, 'identity'>): Promise<JsonObject> {
  const answer = await upstream.request({ ...request, identity: { as: 'reader' } });
  if (answer.status >= 300) throw new Error(`${request.method} ${request.path} was answered with ${answer.status}`);
  return readObject(answer.body);
}
