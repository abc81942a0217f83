/**
 * Where audit events go: a file, which may be moved away at any time, and a webhook. Every request is told once in each,
 * as an API server would tell it, and nothing that is secret.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueServer } from '../../src/pki/certificates.ts';
import { clientOf, type KubeObject, type TenantClient } from '../support/as-tenant.ts';
import { factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import { type ProductFacts, startProduct } from '../support/product.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let file: string;
let product: ProductFacts;
let acme: TenantClient;
const received: KubeObject[] = [];
const authorizations = new Set<string | undefined>();

beforeAll(async () => {
  const controlPlane = stack.use(await startPrivateControlPlane({ nodes: 0 }));
  const folder = controlPlane.workDir;
  file = join(folder, 'audit.log');
  const webhook = await startWebhook(folder);
  const facts = factsOf(controlPlane);
  const started = await startProduct(facts, [`--audit-file=${file}`, ...webhook]);
  stack.defer(() => started.stop());
  product = started.facts;
  acme = clientOf(product, 'acme');
});

/** @returns the settings that lead to it */
async function startWebhook(folder: string): Promise<string[]> {
  const authority = await createAuthority([{ CN: ['webhook authority'] }]);
  const subject = { commonName: 'webhook', dnsNames: [], ipAddresses: ['127.0.0.1'] };
  const { certPem, keyPem } = await issueServer(authority, subject);
  const server = createServer({ cert: certPem, key: keyPem }, async (request, response) => {
    authorizations.add(request.headers.authorization);
    const { items } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    received.push(...items);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const [ca, token] = [join(folder, 'webhook-ca.pem'), join(folder, 'webhook-token')];
  writeFileSync(ca, authority.certPem);
  writeFileSync(token, 'the-token\n');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/events?of=kubeveil`;
  return [`--audit-webhook=${url}`, `--audit-webhook-ca=${ca}`, `--audit-webhook-token=${token}`];
}

function inFile(path = file): KubeObject[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Every event of a request, once there are as many: the file and the webhook must tell the same. */
async function eventsOf(id: unknown, count = 1): Promise<KubeObject[]> {
  const of = (events: readonly KubeObject[]) => events.filter(({ auditID }) => auditID === id);
  await eventually('both have it', () => of(inFile()).length >= count && of(received).length >= count);
  expect(of(received)).toEqual(of(inFile()));
  return of(received);
}

describe('a request', () => {
  it('is told with who asked, as whom, for what, and what came of it', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'audited' }, stringData: { a: 'hunter2' } };
    const answer = await acme.send('/api/v1/namespaces/default/secrets?fieldManager=me&token=hunter2', {
      method: 'POST',
      body: JSON.stringify(secret),
      headers: { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters', 'user-agent': 'tester' },
    });
    expect(answer.status).toBe(201);
    const [event, ...more] = await eventsOf(answer.headers['audit-id']);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      stage: 'ResponseComplete',
      verb: 'create',
      requestURI: '/api/v1/namespaces/default/secrets?fieldManager=me&token=(hidden)',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      impersonatedUser: { username: 'bob' },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester',
      objectRef: { resource: 'secrets', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'kubeveil.dev/tenant': 'acme',
        'kubeveil.dev/tenant-uid': product.acme.uid,
        'kubeveil.dev/credential': 'client-certificate',
        'kubeveil.dev/upstream-status': '201',
        'kubeveil.dev/response-bytes': String(answer.body.length),
        'kubeveil.dev/latency-ms': expect.stringMatching(/^\d+\.\d$/),
      },
    });
  });

  it('that is refused is told with the reason, and that the host was not asked', async () => {
    const nobody = await acme.send(MAPS, { certPem: undefined, keyPem: undefined });
    const [refused] = await eventsOf(nobody.headers['audit-id']);
    expect(refused).toMatchObject({ user: {}, responseStatus: { code: 401, reason: 'no-credential' } });
    const denied = await acme.send(MAPS, { headers: { 'impersonate-user': 'nobody' } });
    expect(denied.status).toBe(403);
    const [event] = await eventsOf(denied.headers['audit-id']);
    expect(event).toMatchObject({
      impersonatedUser: { username: 'nobody' },
      responseStatus: { code: 403, reason: 'rbac' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
    expect(event.annotations).not.toHaveProperty(['kubeveil.dev/upstream-status']);
  });

  it('that the host refuses is told with the host’s status', async () => {
    const answer = await acme.send(`${MAPS}/none`);
    const [event] = await eventsOf(answer.headers['audit-id']);
    expect(event).toMatchObject({
      responseStatus: { code: 404 },
      annotations: { 'kubeveil.dev/upstream-status': '404', 'authorization.k8s.io/decision': 'allow' },
    });
  });

  it('that lasts is told when it begins, and at its end', async () => {
    const { server, caPem } = product;
    const { certPem, keyPem } = product.acme;
    const path = `${MAPS}?watch=true&labelSelector=audited%3Dwatch`;
    const mine = ({ requestURI }: KubeObject) => requestURI === path;
    const watch = await openWatch({ server, caPem, certPem, keyPem, path });
    await eventually('its beginning is told', () => inFile().some(mine));
    expect(inFile().filter(mine)).toMatchObject([
      { stage: 'ResponseStarted', verb: 'watch', user: { username: 'admin' } },
    ]);
    watch[Symbol.dispose]();
    await eventually('its end is told', () => inFile().filter(mine).length > 1);
    expect(inFile().filter(mine)).toMatchObject([
      { stage: 'ResponseStarted' },
      { stage: 'ResponseComplete', responseStatus: { code: 200 } },
    ]);
  });
});

describe('the file', () => {
  it('is opened anew at SIGHUP, and loses nothing when it is moved away', async () => {
    const first = await acme.send('/version');
    await eventsOf(first.headers['audit-id']);
    renameSync(file, `${file}.1`);
    const between = await acme.send('/version');
    process.kill(product.pid, 'SIGHUP');
    const id = between.headers['audit-id'];
    let told = '';
    await eventually('the new file is there', async () => {
      told = String((await acme.send('/version')).headers['audit-id']);
      try {
        return inFile().length > 0;
      } catch {
        return false;
      }
    });
    await eventsOf(told).catch(() => expect.fail('what came after it is not in the new file'));
    const both = [...inFile(`${file}.1`), ...inFile()];
    expect(both.filter(({ auditID }) => auditID === id)).toHaveLength(1);
  });
});

it('no secret is in any event, and the webhook was given its token', () => {
  const all = JSON.stringify([...inFile(`${file}.1`), ...inFile(), ...received]);
  expect(all).not.toContain('hunter2');
  expect(all).not.toContain('acme--');
  expect([...authorizations]).toEqual(['Bearer the-token']);
});

it('the log has no line for requests then', () => {
  expect(readFileSync(product.logPath, 'utf8')).not.toContain('"msg":"request"');
});
