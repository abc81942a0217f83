/**
 * The four accounts of the proxy, each with its own token, tried at the API server against everything there is: every kind
 * and subresource that discovery tells of, by every verb, in every sort of namespace, and the paths that are no resources.
 * What `deploy/` does not give is refused, without exception. That what it gives is needed is in rights-needed.test.ts.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Right, rightsOf } from '../support/account-rights.ts';
import { type ServedKind, servedKinds } from '../support/api.ts';
import { jsonOf, requestOnce } from '../support/http.ts';
import { accountClient, type TokenClient } from '../support/token-client.ts';
import { ACME, prepareWalls, type Walls } from '../support/walls.ts';

const ACCOUNTS = ['kubeveil', 'kubeveil-datapath', 'kubeveil-reader', 'kubeveil-provisioner'];
/** A namespace of the host, the proxy's own, and a tenant's. */
const NAMESPACES = ['default', 'kubeveil-system', `${ACME}--default`];
/** Of every authenticated user, by roles that Kubernetes has from the start. */
const EVERYBODYS = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews']);
const OTHER_PATHS = [
  '/metrics',
  '/metrics/slis',
  '/logs/',
  '/debug/pprof/',
  '/debug/api_priority_and_fairness/dump_queues',
  '/debug/flags/v',
  '/configz',
  '/flagz',
  '/statusz',
  '/healthz/etcd',
];
const AT_ONCE = 16;

interface Try extends Omit<Right, 'names'> {
  readonly method: string;
  readonly path: string;
}

/** All that could be asked of one resource or subresource, in one namespace or in none. */
function triesOf(kind: ServedKind, subresource: string, namespace: string): Try[] {
  const { group } = kind;
  const resource = subresource === '' ? kind.resource : `${kind.resource}/${subresource}`;
  const collection = kind.collection(namespace);
  const one = `${collection}/x${subresource === '' ? '' : `/${subresource}`}`;
  const dry = '?dryRun=All';
  const at = (verb: string, method: string, path: string): Try => ({ verb, group, resource, namespace, method, path });
  const onOne = [
    at('get', 'GET', one),
    at('update', 'PUT', one + dry),
    at('patch', 'PATCH', one + dry),
    at('delete', 'DELETE', one + dry),
  ];
  if (subresource !== '') return [...onOne, at('create', 'POST', one + dry)];
  const ofAll = [at('list', 'GET', collection), at('watch', 'GET', `${collection}?watch=true&timeoutSeconds=1`)];
  if (kind.namespaced && namespace === '') return ofAll;
  return [
    ...ofAll,
    ...onOne,
    at('create', 'POST', collection + dry),
    at('deletecollection', 'DELETE', collection + dry),
  ];
}

function isGiven(rights: readonly Right[], { verb, group, resource, namespace }: Try): boolean {
  return rights.some(
    (right) =>
      right.names === undefined &&
      right.verb === verb &&
      right.group === group &&
      right.resource === resource &&
      (right.namespace === undefined || right.namespace === namespace),
  );
}

let walls: Walls;
let tries: Try[];

beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = inject('controlPlane');
  const kinds = await servedKinds(async (path, accept) =>
    jsonOf(await requestOnce({ server, caPem, certPem, keyPem, path, headers: { accept } })),
  );
  tries = kinds.flatMap((kind) =>
    (kind.namespaced ? ['', ...NAMESPACES] : ['']).flatMap((namespace) =>
      ['', ...(kind.namespaced && namespace === '' ? [] : kind.subresources)].flatMap((subresource) =>
        triesOf(kind, subresource, namespace),
      ),
    ),
  );
});
afterAll(() => walls[Symbol.asyncDispose]());

/** @returns what was not answered as it should be */
async function tryAll(
  client: TokenClient,
  wanted: readonly Try[],
  isRight: (status: number) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...wanted];
  const run = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { status } = await client.send(next.method, next.path, next.method === 'GET' ? {} : { body: {} });
      if (!isRight(status)) wrong.push(`${next.method} ${next.path}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return wrong;
}

it('there is enough to try', () => {
  expect(tries.length).toBeGreaterThan(1_500);
  for (const resource of ['secrets', 'nodes/proxy', 'pods/exec', 'clusterroles', 'serviceaccounts/token', 'tenants']) {
    expect(tries.map((one) => one.resource)).toContain(resource);
  }
});

describe.each(ACCOUNTS)('%s', (account) => {
  let client: TokenClient;
  const rights = rightsOf(account);
  beforeAll(async () => {
    client = await accountClient(walls.host, account);
  });
  afterAll(() => client[Symbol.dispose]());

  it('is refused whatever deploy/ does not give it', async () => {
    const others = tries.filter((one) => !isGiven(rights, one) && !EVERYBODYS.has(one.resource));
    expect(await tryAll(client, others, (status) => status === 403)).toEqual([]);
  });
  it('may read what deploy/ gives it to read', async () => {
    const reads = tries.filter((one) => ['get', 'list'].includes(one.verb) && isGiven(rights, one));
    expect(await tryAll(client, reads, (status) => ![400, 401, 403].includes(status))).toEqual([]);
  });
  it('is refused what is no resource', async () => {
    const paths = OTHER_PATHS.map((path) => ({ method: 'GET', path, verb: 'get', group: '', resource: '' }));
    expect(await tryAll(client, paths, (status) => status === 403)).toEqual([]);
  });
});
