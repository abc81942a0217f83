/**
 * The provisioner, the one account that writes for everybody, has no right that it does not use: one life of a tenant, in
 * front of a control plane of its own, uses every right that `deploy/` gives it. What it lacks it is refused: that is in
 * `walls-grants.test.ts` and `walls.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { objects, strings, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { clientOf } from '../support/as-tenant.ts';
import { adminClient, type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { jsonOf, requestOnce } from '../support/http.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant, type ProductFacts, startProduct } from '../support/product.ts';

const MANIFEST = new URL('../../deploy/30-rbac-accounts.yaml', import.meta.url);
const ACCOUNT = 'system:serviceaccount:kubeveil-system:kubeveil-provisioner';
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
  'get rbac.authorization.k8s.io/rolebindings',
  'delete rbac.authorization.k8s.io/rolebindings',
  'patch networking.k8s.io/networkpolicies',
  'delete networking.k8s.io/networkpolicies',
  ...['resourcequotas', 'limitranges'].flatMap((kind) =>
    ['create', 'patch', 'delete'].map((verb) => `${verb} /${kind}`),
  ),
  'patch /resourcequotas/status',
]);
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let plane: ControlPlaneFacts;

beforeAll(async () => {
  plane = factsOf(stack.use(await startPrivateControlPlane({ nodes: 0 })));
  const product = await startProduct(plane);
  stack.defer(() => product.stop());
  const acme = clientOf(product.facts, 'acme');
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
  await asTrusted(product.facts);
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
async function asTrusted({ server, caPem }: ProductFacts): Promise<void> {
  const { certPem, keyPem } = await makeTenant(plane, 'trustee', join(plane.workDir, 'trustee.kubeconfig'), 'trusted');
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

/** `verb group/resource[/subresource]` for each right that the manifest gives. */
function granted(): string[] {
  const documents = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map((one) => one.toJS() as JsonObject);
  const roles = documents.filter((one) => text(one, 'kind').endsWith('Role') && nameOf(one) === 'kubeveil:provisioner');
  expect(roles).toHaveLength(2);
  return roles.flatMap((role) =>
    objects(role, 'rules').flatMap((rule) =>
      strings(rule, 'apiGroups').flatMap((group) =>
        strings(rule, 'resources').flatMap((resource) =>
          strings(rule, 'verbs')
            .filter((verb) => !WEIGHED.has(verb))
            .map((verb) => `${verb} ${group}/${resource}`),
        ),
      ),
    ),
  );
}

function nameOf({ metadata }: JsonObject): string {
  return text(metadata as JsonObject, 'name');
}

function used(): Set<string> {
  const lines = readFileSync(plane.auditLogPath, 'utf8').split('\n').slice(0, -1);
  const mine = lines
    .map((line) => JSON.parse(line))
    .filter(({ user, impersonatedUser }) => user.username === ACCOUNT && impersonatedUser === undefined)
    // What it makes may be there already, for the host's controllers make some of it, too.
    .filter(({ responseStatus: { code = 200 } = {} }) => code < 300 || code === 409);
  return new Set(
    mine.flatMap(({ verb, objectRef = {}, responseStatus }) => {
      const { apiGroup = '', resource, subresource } = objectRef;
      const what = `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
      // An apply that makes its object takes both rights.
      return responseStatus?.code === 201 && verb === 'patch'
        ? [`patch ${what}`, `create ${what}`]
        : [`${verb} ${what}`];
    }),
  );
}

it('the provisioner uses every right that it has', async () => {
  await eventually('the log is that far', () => used().has('patch kubeveil.dev/tenants'));
  // A right that is named there and not given would make this test forget it.
  expect([...OTHERWISE].filter((right) => !granted().includes(right))).toEqual([]);
  const unused = granted().filter((right) => !used().has(right));
  expect(unused.filter((right) => !OTHERWISE.has(right))).toEqual([]);
});
