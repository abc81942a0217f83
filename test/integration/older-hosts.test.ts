/**
 * Hosts whose API server runs no MutatingAdmissionPolicies: their place takes a webhook, by which it asks the proxy. What
 * comes of an object is the same. The API server is the one of all tests, with what the older version did not have switched
 * off by itself.
 * @see https://kubernetes.io/docs/reference/using-api/ `--emulated-version`
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { child, objects, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { accountToken } from '../support/administrator.ts';
import { cli } from '../support/cli.ts';
import { adminClient, type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { requestOnce } from '../support/http.ts';
import { runKubectl } from '../support/kubectl.ts';
import { deployment } from '../support/mesh.ts';
import { eventually } from '../support/processes.ts';
import { ADVERTISED, makeTenant, POD_DNS, type TenantFacts } from '../support/product.ts';
import { onRelayHost } from '../support/relay-host.ts';
import { type ServeProcess, startServe } from '../support/serve-process.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));
const POLICY = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
const POOL = `${POLICY}pods:\n  nodeSelector: {pool: tenants}\n  tolerations: [{key: pool, value: tenants, effect: NoSchedule}]\n  alwaysPullImages: true\n`;
const CONFIGURATION = 'mutatingwebhookconfiguration kubeveil-mutations';

describe.each(['1.35', '1.34'])('a host of Kubernetes %s', (version) => {
  const stack = new AsyncDisposableStack();
  const tenants = new Map<string, TenantFacts>();
  let host: ControlPlaneFacts;
  let proxy: ServeProcess;
  let on: ReturnType<typeof onRelayHost>;
  /** What `kubectl apply -f deploy/` could not do. */
  let refused: string;
  /** Of the proxy, before the operator has put the webhook there. */
  let reasonBefore: string;
  let url: string;
  let configuration: string;

  const unready = async () => {
    const { text } = await requestOnce({ server: proxy.server, path: '/readyz', insecure: true });
    return text.includes('failed');
  };

  beforeAll(async () => {
    const extraArgs = { 'kube-apiserver': [`--emulated-version=${version}`] };
    const plane = stack.use(await startPrivateControlPlane({ extraArgs }));
    host = factsOf(plane);
    on = onRelayHost(host, tenants);
    const applied = await runKubectl(host.adminKubeconfigPath, ['apply', '--server-side', '-f', DEPLOY]);
    refused = applied.stderr;
    const folder = join(host.workDir, 'product');
    const policies = join(folder, 'policies');
    mkdirSync(policies, { recursive: true });
    writeFileSync(join(policies, 'default.yaml'), POLICY);
    writeFileSync(join(policies, 'pool.yaml'), POOL);
    const admin = adminClient(host);
    const token = await accountToken(admin, 'kubeveil');
    admin.close();
    const args = [`--advertise=${ADVERTISED}`, `--pod-dns=${POD_DNS}`, `--policies=${policies}`];
    const starting = startServe({ folder, host, token, args });
    starting.catch(() => {});
    await eventually('the proxy has told its CA, and what is missing', async () => {
      const log = join(folder, 'proxy.log');
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
      reasonBefore = lines.find((line) => line.includes('host-webhook')) ?? '';
      const told = await runKubectl(host.adminKubeconfigPath, [
        'get',
        'configmap',
        'kubeveil-public',
        '-n',
        'kubeveil-system',
      ]);
      return told.code === 0 && reasonBefore !== '';
    });
    configuration = await cli(['host-webhook', '--kubeconfig', host.adminKubeconfigPath]);
    [, url = ''] = /url: (\S+)/.exec(configuration) ?? [];
    await on.onHost('apply -f -', parse(configuration));
    proxy = stack.use(await starting);
    for (const [id, policy] of Object.entries({ acme: 'default', globex: 'pool' })) {
      tenants.set(id, await makeTenant(host, id, join(folder, `${id}.kubeconfig`), policy));
    }
  });
  afterAll(() => stack.disposeAsync());

  it('takes all of deploy/ but the policies that it does not run', () => {
    const lines = refused.split('\n').filter((line) => /\S/.test(line) && !line.startsWith('ensure CRDs'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/no matches for kind "MutatingAdmissionPolicy(Binding)?"/);
    expect(reasonBefore).toContain('kubeveil host-webhook | kubectl apply -f -');
  });

  it('has no relay, and says so', async () => {
    await expect(cli(['relay', '--kubeconfig', host.adminKubeconfigPath])).rejects.toThrow(
      /runs no MutatingAdmissionPolicies/,
    );
  });

  it.each(['by a tenant', 'by a controller'])(
    'makes a pod that is made %s a client of its virtual cluster',
    async (by) => {
      const app = by === 'by a tenant' ? 'alone' : 'many';
      const template = deployment(app);
      const pod = {
        ...(child(child(template, 'spec'), 'template') as object),
        apiVersion: 'v1',
        kind: 'Pod',
      } as JsonObject;
      const alone = { ...pod, metadata: { ...child(pod, 'metadata'), name: app } };
      await on.as('acme', 'create -f -', by === 'by a tenant' ? alone : template);
      const { seen, stored } = await on.podOf('acme', app);
      const marks = child(child(stored, 'metadata'), 'annotations');
      expect(marks).toMatchObject({ 'kubeveil.dev/namespace': 'default', 'kubeveil.dev/service-host': '127.0.0.1' });
      const spec = child(stored, 'spec');
      for (const container of objects(spec, 'containers')) {
        const names = objects(container, 'env').map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']));
      }
      expect(child(spec, 'dnsConfig')['nameservers']).toEqual([POD_DNS]);
      const sources = objects(spec, 'volumes').flatMap((volume) => objects(child(volume, 'projected'), 'sources'));
      const [token] = sources.map((source) => child(source, 'serviceAccountToken')).filter((one) => 'path' in one);
      expect(text(token, 'audience')).toBe(`kubeveil.dev/${tenants.get('acme')?.uid}`);
      // And the tenant sees none of it.
      expect(JSON.stringify(seen)).not.toContain('kubeveil');
    },
  );

  it('puts pods where the policy file says', async () => {
    await on.as('globex', 'create -f -', deployment('pool'));
    const { stored } = await on.podOf('globex', 'pool');
    const spec = child(stored, 'spec');
    expect(child(spec, 'nodeSelector')).toEqual({ pool: 'tenants' });
    expect(objects(spec, 'tolerations')).toContainEqual({
      key: 'pool',
      operator: 'Equal',
      value: 'tenants',
      effect: 'NoSchedule',
    });
    expect(objects(spec, 'containers').map(({ imagePullPolicy }) => imagePullPolicy)).toEqual(['Always']);
  });

  it('closes what the policy closes in a NetworkPolicy of the tenant', async () => {
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'anywhere' },
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
    };
    await on.as('acme', 'create -f -', policy);
    const stored = JSON.parse(await on.onHost('get networkpolicy anywhere -n acme--default -o json')) as JsonObject;
    const [rule] = objects(child(stored, 'spec'), 'egress');
    expect(objects(rule, 'to')).toHaveLength(3);
    expect(JSON.stringify(rule)).toContain('10.0.0.0/8');
  });

  it('is answered by whoever knows the word in the URL, and by nobody else', async () => {
    const request = {
      uid: 'u',
      namespace: 'globex--default',
      operation: 'CREATE',
      object: { metadata: {}, spec: { containers: [] } },
    };
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    const ask = async (path: string) => {
      const headers = { 'content-type': 'application/json' };
      return await requestOnce({ server: proxy.server, path, method: 'POST', headers, body, insecure: true });
    };
    const { pathname } = new URL(url);
    expect(await ask(pathname)).toMatchObject({ status: 200, text: expect.stringContaining('"allowed":true') });
    const parts = pathname.split('/');
    for (const door of ['', 'x'.repeat(64), [...(parts.at(-2) ?? '')].reverse().join('')]) {
      expect((await ask([...parts.slice(0, -2), door, parts.at(-1)].join('/'))).status).toBe(401);
    }
    // What opens this door does not open that of the relay.
    expect((await ask(`/kubeveil.dev/relay/${parts.at(-2)}`)).status).toBe(401);
  });

  it('is served no more once the webhook is loosened, or gone, and again when it is back', async () => {
    const isServed = () => eventually('it is served', async () => !(await unready()));
    const isNot = () => eventually('it is not served', unready);
    await isServed();
    const patch = '[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]';
    await on.onHost(`patch ${CONFIGURATION} --type=json -p ${patch}`);
    await isNot();
    await on.onHost(`delete ${CONFIGURATION}`);
    await isNot();
    await on.onHost('create -f -', parse(configuration));
    await isServed();
  });
});
