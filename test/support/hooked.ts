/** The same webhooks on the plain API server and in a tenant: how they are set up, and what of their answers is compared. */
import { expect } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { KubeObject } from './as-tenant.ts';
import { jsonOf, type RawAnswer } from './http.ts';
import { type Asked, direct, throughProduct } from './plain-and-product.ts';
import type { WebhookServer } from './webhook-server.ts';
import { HOOKED, type HookCase, SERVICE } from './webhook-vectors.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const MAPS = `/api/v1/namespaces/${HOOKED}/configmaps`;
export const KINDS = ['mutating', 'validating'] as const;
export type Kind = (typeof KINDS)[number];
type Send = (asked: Asked) => Promise<RawAnswer>;

/** @param named the label that objects of the case have */
function configuration(
  webhooks: WebhookServer,
  kind: Kind,
  named: string,
  hooks: NonNullable<HookCase['mutating']>,
  byUrl: boolean,
): JsonObject {
  const clientConfig = (path: string) => ({
    caBundle: Buffer.from(webhooks.caPem).toString('base64'),
    ...(byUrl
      ? { url: `https://127.0.0.1:${webhooks.port}${path}` }
      : { service: { namespace: HOOKED, name: SERVICE, path } }),
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name: `hooked-${named}` },
    webhooks: hooks.map(([path, extra = {}], at) => ({
      name: `w${at}.hooked.example.com`,
      admissionReviewVersions: ['v1', 'v1beta1'],
      sideEffects: 'None',
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': HOOKED } },
      objectSelector: { matchLabels: { case: named } },
      clientConfig: clientConfig(path),
      ...extra,
    })),
  };
}

export const sending = (body: unknown, method = 'POST', type = 'application/json') => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': type },
});

export async function made(send: Send, path: string, body: unknown): Promise<void> {
  const answer = await send({ path, ...sending(body) });
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
}

export const pathOf = (kind: Kind) => `${GROUP}/${kind}webhookconfigurations`;
/** Where webhooks are given by URL, and where as a Service. */
export const SIDES: ReadonlyArray<readonly [Send, byUrl: boolean]> = [
  [direct, true],
  [throughProduct, false],
];

export async function configure(webhooks: WebhookServer, named: string, hooks: Pick<HookCase, Kind>): Promise<void> {
  for (const [send, byUrl] of SIDES) {
    for (const kind of KINDS) {
      const own = hooks[kind];
      if (own !== undefined) await made(send, pathOf(kind), configuration(webhooks, kind, named, own, byUrl));
    }
  }
}

export const map = (named: string, name = named, data: JsonObject = { a: 'b' }): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { case: named } },
  data,
});

/** What can be compared: without what differs from one cluster to the next, or where the webhook is. */
export function seen(answer: RawAnswer) {
  const { metadata = {}, ...object } = jsonOf<KubeObject>(answer);
  const { uid: _uid, resourceVersion: _v, creationTimestamp: _t, managedFields: _m, ...shown } = metadata;
  const said = JSON.stringify({ status: answer.status, warnings: answer.headers['warning'] ?? '', ...object, shown });
  return said
    .replaceAll(/response.uid=[\\"]*[0-9a-f-]{36}/g, 'response.uid=')
    .replaceAll(/https:\/\/[^/]*\//g, 'https://webhook/');
}
