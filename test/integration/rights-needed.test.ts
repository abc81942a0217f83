/**
 * The accounts of the proxy have no right that they do not use. One life of a tenant, in front of a control plane of its own,
 * uses every right that `deploy/` gives the provisioner; then two tenants read everything that their clusters have, which
 * uses all that the reader has. The host's audit log has who asked what. That they are refused all else is in
 * `accounts.test.ts`, `walls-grants.test.ts` and `walls.test.ts`. The data path has no right of its own, and what it may do in
 * a tenant's name is in `guard-needed.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { rightsOf, textOf } from '../support/account-rights.ts';
import { clientOf } from '../support/as-tenant.ts';
import { adminClient, type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { jsonOf, requestOnce } from '../support/http.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant, type ProductFacts, startProduct, type TenantFacts } from '../support/product.ts';
import { readEverything } from '../support/read-everything.ts';

const PROVISIONER = 'kubeveil-provisioner';
const REVIEWS = 'create authentication.k8s.io/tokenreviews';
/** Rights that no request is for: a write of a role or binding is weighed by them. */
const WEIGHED = new Set(['escalate', 'bind']);
/**
 * Used in a life that went otherwise: by policies with quotas and limits, to mend what somebody has changed, and to look at
 * what another was faster to make.
 */
const OTHERWISE: ReadonlySet<string> = new Set([
  'get /namespaces',
  // Asked for to be refused, by Pod Security.
  'create /pods',
  // And by limits and quotas.
  'create /persistentvolumeclaims',
  'get rbac.authorization.k8s.io/rolebindings',
  'delete rbac.authorization.k8s.io/rolebindings',
  'patch networking.k8s.io/networkpolicies',
  'delete networking.k8s.io/networkpolicies',
  'patch /resourcequotas',
  'patch /resourcequotas/status',
  'patch /limitranges',
  // On hosts that run no mutating policies: older-hosts.test.ts.
  'get admissionregistration.k8s.io/mutatingwebhookconfigurations',
]);
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let plane: ControlPlaneFacts;
let product: ProductFacts;
let trustee: TenantFacts;

beforeAll(async () => {
  plane = factsOf(stack.use(await startPrivateControlPlane({ nodes: 0 })));
  const started = await startProduct(plane);
  stack.defer(() => started.stop());
  product = started.facts;
  const acme = clientOf(product, 'acme');
  const admin = adminClient(plane);
  stack.defer(() => admin.close());
  await acme.kubectl('create namespace needed');
  await acme.kubectl('create configmap a -n needed');
  await acme.kubectl('label namespace needed a=b');
  const namespace = await acme.json('/api/v1/namespaces/needed');
  const put = {
    method: 'PUT',
    body: JSON.stringify({ ...namespace, metadata: { name: 'needed', labels: { a: 'c' } } }),
  };
  expect((await acme.send('/api/v1/namespaces/needed', put)).status).toBe(200);
  trustee = await makeTenant(plane, 'trustee', join(plane.workDir, 'trustee.kubeconfig'), 'trusted');
  await asTrusted();
  await acme.kubectl('delete namespace needed');
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  for (const [plural, kind, scope] of [
    ['needs', 'Need', 'Namespaced'],
    ['wants', 'Want', 'Cluster'],
  ]) {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.needed.example.com` },
      spec: { group: 'needed.example.com', scope, names: { plural, kind }, versions },
    };
    await acme.kubectl('create -f -', { stdin: JSON.stringify(definition) });
    await acme.kubectl(`wait crd/${plural}.needed.example.com --for=condition=Established`);
    await acme.kubectl(`get ${plural}`);
  }
  const tenant = '/apis/kubeveil.dev/v1alpha1/tenants/acme';
  await admin.send('DELETE', tenant);
  await eventually('acme is gone', async () => (await admin.send('GET', tenant)).status === 404);
});

/** What only trusted tenants do. */
async function asTrusted(): Promise<void> {
  const { server, caPem } = product;
  const { certPem, keyPem } = trustee;
  const path = '/api/v1/namespaces/trusted-needs';
  const send = async (method: string, at: string, body?: object, type = 'application/json') => {
    const headers = { 'content-type': type };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await requestOnce({ server, caPem, certPem, keyPem, method, path: at, headers, body: text });
    expect(answer.status, answer.text).toBeLessThan(300);
    return jsonOf<JsonObject>(answer);
  };
  const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trusted-needs' } };
  await send('POST', '/api/v1/namespaces', made);
  await send('PUT', `${path}/status`, await send('GET', path));
  const merge = 'application/merge-patch+json';
  await send('PATCH', `${path}/status`, { status: {} }, merge);
  await send('PUT', `${path}/finalize`, {
    ...(await send('GET', path)),
    spec: { finalizers: ['kubernetes', 'a.example.com/b'] },
  });
  await send('PUT', `${path}/finalize`, { ...(await send('GET', path)), spec: { finalizers: ['kubernetes'] } });
}

/** As `textOf` has it, each right that an account has and that is for requests. */
function granted(account: string): string[] {
  const rights = rightsOf(account).filter(({ verb }) => !WEIGHED.has(verb));
  expect(rights.length).toBeGreaterThan(0);
  return [...new Set(rights.map(textOf))];
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

function eventsOf(account: string): AuditEvent[] {
  const lines = readFileSync(plane.auditLogPath, 'utf8').split('\n').slice(0, -1);
  const name = `system:serviceaccount:kubeveil-system:${account}`;
  return lines.map((line) => JSON.parse(line) as AuditEvent).filter(({ user }) => user.username === name);
}

function whatOf({ objectRef = {} }: AuditEvent): string {
  const { apiGroup = '', resource, subresource } = objectRef;
  return `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** What an account did in its own name. */
function used(account: string): Set<string> {
  const mine = eventsOf(account)
    .filter(({ impersonatedUser }) => impersonatedUser === undefined)
    // What it makes may be there already, for the host's controllers make some of it, too.
    .filter(({ responseStatus: { code = 200 } = {} }) => code < 300 || code === 409);
  return new Set(
    mine.flatMap((event) => {
      const what = whatOf(event);
      // An apply that makes its object takes both rights.
      return event.responseStatus?.code === 201 && event.verb === 'patch'
        ? [`patch ${what}`, `create ${what}`]
        : [`${event.verb} ${what}`];
    }),
  );
}

/** What the host let through, whether or not it found what was asked for. */
function allowed(events: readonly AuditEvent[]): Set<string> {
  const passed = events.filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'allow');
  return new Set(passed.map((event) => `${event.verb} ${whatOf(event)}`));
}

it('the provisioner uses every right that it has', async () => {
  const rights = granted(PROVISIONER);
  await eventually('the log is that far', () => used(PROVISIONER).has('patch kubeveil.dev/tenants'));
  // A right that is named there and not given would make this test forget it.
  expect([...OTHERWISE].filter((right) => !rights.includes(right))).toEqual([]);
  const unused = rights.filter((right) => !used(PROVISIONER).has(right));
  expect(unused.filter((right) => !OTHERWISE.has(right))).toEqual([]);
});

it('the reader uses every right that it has', async () => {
  const { server, caPem, globex } = product;
  const before = eventsOf('kubeveil-reader').length;
  for (const { certPem, keyPem } of [trustee, globex]) await readEverything({ server, caPem, certPem, keyPem });
  // Which discovery does not tell of.
  await requestOnce({ ...globex, server, caPem, path: '/api/v1/nodes/x/status' });
  const token = await clientOf(product, 'globex').kubectl('create token default -n default');
  expect((await requestOnce({ server, caPem, token, path: '/api/v1/pods' })).status).toBe(403);
  await eventually('the log is that far', () => allowed(eventsOf('kubeveil-reader').slice(before)).has(REVIEWS));
  const seen = allowed(eventsOf('kubeveil-reader'));
  expect(granted('kubeveil-reader').filter((right) => !seen.has(right))).toEqual([]);
});
