import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject } from '../k8s/types.ts';
import { toTenant } from './object.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';
import { withoutPodDifference } from './pod-client.ts';

const ACME = scopeOf('acme');
const POD = kindAt(ACME, '/pods');
const NAMESPACE_PLACE = "metadata.annotations['kubeveil.dev/namespace']";

const field = (fieldPath: string): JsonObject => ({ valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
const HOST = { name: 'KUBERNETES_SERVICE_HOST', ...field("metadata.annotations['kubeveil.dev/service-host']") };
const PORT = { name: 'KUBERNETES_SERVICE_PORT', ...field("metadata.annotations['kubeveil.dev/service-port']") };

const marks: JsonObject = { 'kubeveil.dev/namespace': 'web', 'kubeveil.dev/service-host': '192.0.2.9' };

function shown(spec: JsonObject, annotations: JsonObject = marks): JsonObject {
  const metadata = { name: 'p', namespace: 'acme--web', uid: 'u', resourceVersion: '1', annotations };
  const object: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
  return toTenant(structuredClone(object), POD, ACME)['spec'] as JsonObject;
}

describe('the environment of a pod', () => {
  it.each(['containers', 'initContainers', 'ephemeralContainers'])('is shown as it was written, of %s', (list) => {
    const own = { name: 'A', value: '$(KUBERNETES_SERVICE_HOST)' };
    expect(
      shown({
        [list]: [
          { name: 'c', env: [HOST, PORT, own] },
          { name: 'd', env: [HOST, PORT] },
        ],
      }),
    ).toEqual({
      [list]: [{ name: 'c', env: [own] }, { name: 'd' }],
    });
  });

  it('keeps the address that the tenant set itself', () => {
    const own = { name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.9' };
    expect(shown({ containers: [{ name: 'c', env: [PORT, own] }] })).toEqual({
      containers: [{ name: 'c', env: [own] }],
    });
  });

  it('names the namespace, and the CA, as the tenant did', () => {
    const env = [
      { name: 'NS', ...field(NAMESPACE_PLACE) },
      { name: 'CA', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt.kubeveil', key: 'ca.crt' } } },
    ];
    const envFrom = [{ configMapRef: { name: 'kube-root-ca.crt.kubeveil' } }, { configMapRef: { name: 'other' } }];
    expect(shown({ containers: [{ name: 'c', env, envFrom }] })).toEqual({
      containers: [
        {
          name: 'c',
          env: [
            { name: 'NS', ...field('metadata.namespace') },
            { name: 'CA', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'ca.crt' } } },
          ],
          envFrom: [{ configMapRef: { name: 'kube-root-ca.crt' } }, { configMapRef: { name: 'other' } }],
        },
      ],
    });
  });
});

describe('volumes of a pod', () => {
  const token = (audience?: string): JsonObject => ({
    serviceAccountToken: { path: 'token', ...(audience === undefined ? {} : { audience }) },
  });
  const items = (fieldPath: string): JsonObject => ({ items: [{ path: 'namespace', fieldRef: { fieldPath } }] });

  it('are shown as they were written', () => {
    const stored = [
      { name: 'a', configMap: { name: 'kube-root-ca.crt.kubeveil' } },
      { name: 'b', downwardAPI: items(NAMESPACE_PLACE) },
      {
        name: 'c',
        projected: {
          sources: [
            token('kubeveil.dev/acme-uid'),
            { configMap: { name: 'kube-root-ca.crt.kubeveil' } },
            { downwardAPI: items(NAMESPACE_PLACE) },
            token('kubeveil.dev/acme-uid'),
            token('kubeveil.dev/acme-uid/vault'),
          ],
        },
      },
    ];
    const written = { ...marks, 'kubeveil.dev/audiences': '2/projected/sources/3=https://kubernetes.default.svc' };
    expect(shown({ volumes: stored }, written)).toEqual({
      volumes: [
        { name: 'a', configMap: { name: 'kube-root-ca.crt' } },
        { name: 'b', downwardAPI: items('metadata.namespace') },
        {
          name: 'c',
          projected: {
            sources: [
              token(),
              { configMap: { name: 'kube-root-ca.crt' } },
              { downwardAPI: items('metadata.namespace') },
              token('https://kubernetes.default.svc'),
              token('vault'),
            ],
          },
        },
      ],
    });
  });
});

describe('DNS of a pod', () => {
  const searches = ['web.svc.cluster.local.acme.t', 'svc.cluster.local.acme.t', 'cluster.local.acme.t', 'acme.t'];
  const ndots = { name: 'ndots', value: '7' };

  it.each<[JsonObject, JsonObject]>([
    [{ nameservers: ['10.96.0.10'], searches, options: [ndots] }, { dnsPolicy: 'ClusterFirst' }],
    [
      {
        nameservers: ['10.96.0.10', '192.0.2.53'],
        searches: [...searches, 'example.com'],
        options: [{ name: 'ndots', value: '2' }, ndots],
      },
      {
        dnsPolicy: 'ClusterFirst',
        dnsConfig: {
          nameservers: ['192.0.2.53'],
          searches: ['example.com'],
          options: [{ name: 'ndots', value: '2' }],
        },
      },
    ],
  ])('is shown as it was written: %j', (dnsConfig, written) => {
    const annotations = { ...marks, 'kubeveil.dev/dns': 'ClusterFirst' };
    expect(shown({ dnsPolicy: 'None', dnsConfig }, annotations)).toEqual(written);
  });

  it('is the tenant’s own where nothing was put in', () => {
    const own = { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.53'] } };
    expect(shown(own)).toEqual(own);
  });
});

describe('a pod that the policy has not met', () => {
  it('is shown as it is', () => {
    const spec = {
      containers: [{ name: 'c', env: [HOST] }],
      volumes: [
        { name: 'v', projected: { sources: [{ serviceAccountToken: { audience: 'kubeveil.dev/acme-uid' } }] } },
      ],
    };
    expect(shown(spec, {})).toEqual(spec);
  });
});

describe('a JSON patch', () => {
  const patched = (path: string, op = 'test') =>
    patchToUpstream([{ op, path, value: 1 }], 'application/json-patch+json', POD, ACME);

  it.each([
    '/spec/containers/0/env/0/name',
    '/spec/initContainers/0/env',
    '/spec/containers/0',
    '/spec/ephemeralContainers',
    '/spec/volumes/0/projected/sources/0/serviceAccountToken/audience',
    '/spec/dnsPolicy',
    '/spec/dnsConfig/options/0',
    '/spec',
  ])('of %s is applied to what the tenant sees', (path) => {
    expect(() => patched(path)).toThrow(NeedsLiveObject);
  });

  it.each(['/spec/containers/0/image', '/spec/activeDeadlineSeconds', '/status/phase'])('of %s goes up', (path) => {
    expect(patched(path, 'replace')).toEqual([{ op: 'replace', path, value: 1 }]);
  });
});

describe('a refusal of an update', () => {
  const SAID = 'Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.tolerations`';

  it('keeps the difference where all of it is the tenant’s', () => {
    const text = `${SAID}\n  {\n-  "RestartPolicy": "Always",\n+  "RestartPolicy": "Never",\n`;
    expect(withoutPodDifference(text)).toBe(text);
  });

  it.each([
    '"Searches": ["web.svc.cluster.local.acme.t"]',
    '"FieldPath": "metadata.annotations[\'kubeveil.dev/x\']"',
    '"Env": [ { "Name": "KUBERNETES_SERVICE_HOST",',
  ])('ends before it where it shows %s', (line) => {
    expect(withoutPodDifference(`${SAID}\n  {\n-  ${line},\n`)).toBe(SAID);
    const other = 'existing ephemeral containers "d" may not be changed';
    expect(withoutPodDifference(`${other}\n- ${line}`)).toBe(other);
  });
});
