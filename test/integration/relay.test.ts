/**
 * The relay: a tenant's own admission meets what controllers of the host make for it, on a host of its own that an operator
 * has set up with `kubeveil relay`. Four tenants: one whose webhook puts a sidecar into pods, one whose webhook hangs, one
 * that has the same webhook and did not ask for it, and one that has nothing.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { child, objects, strings } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { cli } from '../support/cli.ts';
import { type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { jsonOf, requestOnce } from '../support/http.ts';
import { deployment, injecting, owning, SERVICE, SPACE } from '../support/mesh.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant, startProxy, type TenantFacts } from '../support/product.ts';
import { itemsOf, namesIn, onRelayHost } from '../support/relay-host.ts';
import { startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';

const ending: Array<() => Promise<unknown>> = [];
let host: ControlPlaneFacts;
let webhooks: WebhookServer;
let server: string;
let stopProxy: () => Promise<void>;
let logPath: string;
let caPem: string;
/** What the Tenant said before the operator had set it up. */
let relayBefore: JsonObject;
/** URL and token, as the operator applied them. */
let url: string;
let token: string;
const tenants = new Map<string, TenantFacts>();

let on: ReturnType<typeof onRelayHost>;
const as: typeof on.as = (...asked) => on.as(...asked);

beforeAll(async () => {
  const controlPlane = await startPrivateControlPlane();
  ending.push(() => controlPlane.stop());
  host = factsOf(controlPlane);
  on = onRelayHost(host, tenants);
  const policies = join(host.workDir, 'relay-policies');
  mkdirSync(policies);
  const head = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
  writeFileSync(join(policies, 'default.yaml'), head);
  writeFileSync(join(policies, 'mesh.yaml'), `${head}admission: {controllerObjects: true}\n`);
  const proxy = await startProxy(host, [`--policies=${policies}`]);
  stopProxy = proxy.stop;
  ending.push(() => stopProxy());
  ({ server, logPath } = proxy);
  for (const [id, policy] of Object.entries({ acme: 'mesh', hung: 'mesh', plain: 'default', other: 'mesh' })) {
    tenants.set(id, await makeTenant(host, id, join(host.workDir, `${id}.kubeconfig`), policy));
  }
  caPem = jsonOf<{ data: Record<string, string> }>({
    status: 200,
    text: await on.onHost('get configmap kubeveil-public -n kubeveil-system -o json'),
  }).data['ca.crt'] as string;
  relayBefore = await on.relayCondition('acme', ({ status }) => status === 'False');
  const manifests = await cli(['relay', '--kubeconfig', host.adminKubeconfigPath]);
  [, url = ''] = /url: (\S+)/.exec(manifests) ?? [];
  [, token = ''] = /value: '([\w-]{43})'/.exec(manifests) ?? [];
  const file = join(host.workDir, 'relay.yaml');
  writeFileSync(file, manifests);
  await on.onHost(`apply -f ${file}`);
  webhooks = await startWebhookServer([`${SERVICE}.${SPACE}.svc`], {
    '/inject': injecting,
    '/own': owning,
    '/hang': () => undefined,
  });
  ending.push(async () => await webhooks[Symbol.asyncDispose]());
  await Promise.all([
    on.giveWebhook('acme', webhooks, '/inject'),
    on.giveWebhook('plain', webhooks, '/inject'),
    on.giveWebhook('hung', webhooks, '/hang', { timeoutSeconds: 30 }),
  ]);
  await eventually('the relay acts', async () => {
    await as('acme', 'apply -f -', deployment('first'));
    const { seen } = await on.podOf('acme', 'first');
    if (namesIn(seen).includes('sidecar')) return true;
    await as('acme', 'delete deployment first');
    await eventually(
      'its pod is gone',
      async () => itemsOf(await as('acme', 'get pods -l app=first -o json')).length === 0,
    );
    return false;
  });
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

describe('the Tenant', () => {
  it('says that the relay is missing until it is set up, where its policy asks for it', async () => {
    expect(relayBefore).toMatchObject({
      reason: 'NotSetUp',
      message: expect.stringContaining('kubeveil relay | kubectl apply -f -'),
    });
    expect(await on.relayCondition('acme', ({ type }) => type === undefined)).toEqual({});
    expect(await on.relayCondition('plain', ({ type }) => type === undefined)).toEqual({});
  });
});

describe('a Service of the proxy', () => {
  /** Whether who knows its CA believes that this is it. */
  const isBelieved = (servername: string) =>
    new Promise<boolean>((resolve) => {
      const { hostname: address, port } = new URL(server);
      const socket = connect({ host: address, port: Number(port), servername, ca: caPem }, () => resolve(true));
      socket.on('error', () => resolve(false)).on('close', () => resolve(false));
      socket.setTimeout(30_000, () => socket.destroy());
      socket.on('secureConnect', () => socket.destroy());
    });

  it('is believed by the host where it is in the namespace of the proxy, and nowhere else', async () => {
    expect(await isBelieved('kubeveil.kubeveil-system.svc')).toBe(true);
    expect(await isBelieved('kubeveil.default.svc')).toBe(false);
  });
});

describe('a pod that a ReplicaSet makes', () => {
  it('has the sidecar of its tenant’s webhook, and is a client of its virtual cluster all the same', async () => {
    webhooks.asked.length = 0;
    await as('acme', 'create -f -', deployment('web'));
    const { seen, stored } = await on.podOf('acme', 'web');
    expect(namesIn(seen)).toEqual(['main', 'sidecar']);
    expect(namesIn(stored)).toEqual(['main', 'sidecar']);
    // What the host puts into each container is in the sidecar too, and the tenant sees none of it.
    for (const container of objects(child(stored, 'spec'), 'containers')) {
      expect(objects(container, 'env').map(({ name }) => name)).toContain('KUBERNETES_SERVICE_HOST');
    }
    expect(JSON.stringify(seen)).not.toContain('kubeveil');
    expect(JSON.stringify(stored)).not.toContain(token);
    const [asked] = webhooks.asked;
    const request = child(asked?.body, 'request');
    expect(request).toMatchObject({
      operation: 'CREATE',
      namespace: 'default',
      userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
    });
    for (const word of ['acme--', 'kubeveil', token]) expect(JSON.stringify(asked)).not.toContain(word);
  });

  it('is in the audit as the request of the controller, which tells nothing of the token', async () => {
    await as('acme', 'create -f -', deployment('audited'));
    await on.podOf('acme', 'audited');
    const log = readFileSync(logPath, 'utf8');
    const lines = log.split('\n').filter((line) => line.includes('"msg":"request"'));
    const ofPods = lines
      .map((line) => JSON.parse(line) as JsonObject)
      .filter(
        ({ user, verb, resource }) => verb === 'create' && resource === 'pods' && String(user).includes(':replicaset-'),
      );
    expect(ofPods.at(-1)).toMatchObject({
      tenant: 'acme',
      user: 'system:serviceaccount:kube-system:replicaset-controller',
      namespace: 'default',
      status: 200,
    });
    for (const secret of [token, new URL(url).pathname.split('/').at(-1) ?? '']) expect(log).not.toContain(secret);
  });

  it('is asked about once, and so is one that the tenant makes itself', async () => {
    webhooks.asked.length = 0;
    await as('acme', 'run own --image=none --labels=mesh=on');
    expect(webhooks.asked).toHaveLength(1);
    await as('acme', 'create -f -', deployment('once'));
    await on.podOf('acme', 'once');
    expect(webhooks.asked).toHaveLength(2);
  });

  it('is left alone where no webhook speaks of it, where the tenant did not ask, and where it has none', async () => {
    webhooks.asked.length = 0;
    await as('acme', 'create -f -', deployment('unlabelled', {}));
    await as('plain', 'create -f -', deployment('web'));
    await as('other', 'create -f -', deployment('web'));
    for (const [tenant, app] of [
      ['acme', 'unlabelled'],
      ['plain', 'web'],
      ['other', 'web'],
    ] as const) {
      const { seen, stored } = await on.podOf(tenant, app);
      expect(namesIn(seen)).toEqual(['main']);
      expect(JSON.stringify(stored)).not.toContain(token);
    }
    expect(webhooks.asked).toEqual([]);
  });

  it('is refused by a policy of the tenant, which is told so', async () => {
    const named = { metadata: { name: 'no-latest' }, apiVersion: 'admissionregistration.k8s.io/v1' };
    await as('acme', 'create -f -', {
      ...named,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          objectSelector: { matchLabels: { judged: 'yes' } },
        },
        validations: [
          {
            expression:
              "object.spec.containers.all(c, c.name != 'main') || object.spec.containers.exists(c, c.name == 'sidecar')",
            message: 'no sidecar',
          },
        ],
      },
    });
    await as('acme', 'create -f -', {
      ...named,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: 'no-latest', validationActions: ['Deny'] },
    });
    await as('acme', 'create -f -', deployment('judged', { judged: 'yes' }));
    await eventually('the refusal is told', async () =>
      (await as('acme', 'get events -o json')).includes('no sidecar'),
    );
    expect(itemsOf(await as('acme', 'get pods -l app=judged -o json'))).toEqual([]);
    await as('acme', 'create -f -', deployment('judged-well', { judged: 'yes', mesh: 'on' }));
    const { seen } = await on.podOf('acme', 'judged-well');
    expect(namesIn(seen)).toContain('sidecar');
    await as('acme', 'delete deployment judged judged-well');
  });

  it('gets nothing from a webhook that its tenant may not write itself', async () => {
    await on.giveWebhook('other', webhooks, '/own');
    await eventually('it is refused', async () => {
      const name = `owned-${Date.now()}`;
      await as('other', 'create -f -', deployment(name));
      let events = '';
      await eventually('something came of it', async () => {
        events = await as('other', 'get events -o json');
        const pods = itemsOf(await as('other', `get pods -l app=${name} -o json`));
        return pods.length > 0 || events.includes('own nothing of yours');
      });
      return events.includes('own nothing of yours');
    });
  });
});

describe('a webhook that hangs', () => {
  /** Of the ReplicaSet controller. */
  const WORKERS = 5;
  const timesAsked = () => webhooks.asked.filter(({ path }) => path === '/hang').length;

  it('stops pods of its own tenant, and not for a moment those of others', async () => {
    webhooks.asked.length = 0;
    const startedMs = performance.now();
    for (let at = 0; at < 6; at += 1) await as('hung', 'create -f -', deployment(`h${at}`));
    await eventually('the webhook is asked', async () => timesAsked() > 0);
    await as('acme', 'create -f -', deployment('beside'));
    const { seen } = await on.podOf('acme', 'beside');
    expect(namesIn(seen)).toContain('sidecar');
    await eventually('the failure is told', async () =>
      (await as('hung', 'get events -o json')).includes('context deadline exceeded'),
    );
    await eventually('all of them are refused', async () => {
      const events = itemsOf(await as('hung', 'get events -o json'));
      const refused = events.filter(({ message }) => String(message).includes('context deadline exceeded'));
      return new Set(refused.map((event) => child(event, 'involvedObject')['name'])).size === 6;
    });
    // The workers of the controller that began at once have waited, once each, and later one in ten seconds, however
    // often they tried.
    const later = Math.ceil((performance.now() - startedMs) / 10_000);
    expect(timesAsked()).toBeLessThanOrEqual(WORKERS + later);
    expect(itemsOf(await as('hung', 'get pods -l mesh=on -o json'))).toEqual([]);
    expect(await as('hung', 'get events -o json')).not.toMatch(new RegExp(`${token}|hung--|kubeveil-system`));
  });
});

describe('the question of a caller who is not the host', () => {
  const review = (shown: string | undefined, extra: JsonObject = {}) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      operation: 'CREATE',
      namespace: 'acme--default',
      resource: { group: '', version: 'v1', resource: 'pods' },
      userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'forged',
          namespace: 'acme--default',
          labels: { mesh: 'on' },
          ...(shown === undefined ? {} : { annotations: { 'kubeveil.dev/relay': shown } }),
        },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
      },
      ...extra,
    },
  });
  const ask = (path: string, body: unknown, extra: object = {}) =>
    requestOnce({ server, caPem, path, method: 'POST', body: JSON.stringify(body), ...extra });

  it('is not answered without the token, whatever else it shows, and nobody’s webhook is asked', async () => {
    const own = new URL(url).pathname;
    const wrong = 'x'.repeat(43);
    webhooks.asked.length = 0;
    const facts = tenants.get('other');
    const credential = { certPem: facts?.certPem, keyPem: facts?.keyPem };
    const [account] = strings({ list: [(await as('other', 'create token default')).trim()] }, 'list');
    const answers = await Promise.all([
      ask(own, review(undefined)),
      ask(own, review(wrong)),
      ask(own, review('')),
      ask(own, review(wrong), credential),
      ask(own, review(wrong), { headers: { authorization: `Bearer ${account}` } }),
      ask('/kubeveil.dev/relay/', review(token)),
      ask(`/kubeveil.dev/relay/${token}`, review(token)),
      ask(`/kubeveil.dev/relay/${'0'.repeat(64)}`, review(token)),
      requestOnce({ server, caPem, path: own, method: 'GET' }),
    ]);
    for (const { status, text } of answers) {
      expect({ status, text }).toMatchObject({ status: 401 });
      expect(text).not.toContain(token);
    }
    // Controllers may still be trying what was refused before.
    expect(webhooks.asked.filter(({ body }) => JSON.stringify(body).includes('forged'))).toEqual([]);
  });

  it('would be answered with it', async () => {
    const answer = await ask(new URL(url).pathname, review(token));
    expect(answer.status).toBe(200);
    const { response } = jsonOf<{ response: JsonObject }>(answer);
    expect(response).toMatchObject({ uid: 'u', allowed: true, patchType: 'JSONPatch' });
  });

  it('is not answered with a token that was taken away', async () => {
    const before = token;
    const shown = async () => (await ask(new URL(url).pathname, review(before))).status;
    expect(await shown()).toBe(200);
    const file = join(host.workDir, 'rotated.yaml');
    writeFileSync(file, await cli(['relay', '--rotate', '--kubeconfig', host.adminKubeconfigPath]));
    const rotated = await cli(['relay', '--kubeconfig', host.adminKubeconfigPath]);
    expect(rotated).not.toContain(before);
    // The host's webhook goes on with the old one until the new manifests are applied.
    expect(await shown()).toBe(200);
    await on.onHost(`apply -f ${file}`);
    await cli(['relay', '--rotate', '--kubeconfig', host.adminKubeconfigPath]);
    await eventually('the first token counts no more', async () => (await shown()) === 401);
  });
});
