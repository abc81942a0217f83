/**
 * Nothing of globex, of the host, or of the names that things have there, in any byte that acme gets: every kind that
 * discovery tells of, in every form, by every verb, in answers and refusals alike. Every request of this file goes
 * through `acme.send`, which searches the whole answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedKind, servedKinds } from '../support/api.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer } from '../support/http.ts';
import { asManifest, samples } from '../support/samples.ts';
import { CANARY, HOST_NAMESPACE } from '../support/seed-words.ts';
import { virtualSamples } from '../support/virtual-vectors.ts';

const { acme, globex, host } = useProduct();
/** Both tenants have it, and globex has canaries in it. */
const NAMESPACE = 'web';
/** Names that an attacker would try: as globex has them, as the host has them, as acme's own are stored. */
const GUESSES = [
  'globex--web',
  'acme--web',
  CANARY,
  `globex--${CANARY}`,
  `${CANARY}-sample`,
  HOST_NAMESPACE,
  'kubeveil-system',
];

const JSON_TYPE = 'application/json';
const FORMS = [
  { form: 'JSON', accept: JSON_TYPE },
  { form: 'YAML', accept: 'application/yaml' },
  { form: 'protobuf', accept: `application/vnd.kubernetes.protobuf,${JSON_TYPE}` },
  { form: 'a Table', accept: `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io` },
  { form: 'a Table with objects', accept: `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io`, query: 'includeObject=Object' },
  { form: 'a Table without metadata', accept: `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io`, query: 'includeObject=None' },
  { form: 'metadata', accept: `${JSON_TYPE};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io` },
  { form: 'gzip', accept: JSON_TYPE, headers: { 'accept-encoding': 'gzip' } },
] as const;

const kinds = await servedKinds((path, accept) => acme.json(path, { headers: { accept } }));
const readable = kinds.filter(({ verbs }) => verbs.includes('list'));
const writable = readable.filter(({ verbs }) => verbs.includes('create'));
const label = (kind: ServedKind): string => `${kind.group}/${kind.version}/${kind.resource}`;
const named = <T extends ServedKind>(list: readonly T[]) => list.map((kind) => ({ name: label(kind), kind }));

beforeAll(async () => {
  await acme.kubectl('apply -f -', {
    stdin: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }),
  });
  await acme.kubectl(`create -n ${NAMESPACE} -f -`, { stdin: asManifest(samples(NAMESPACE)) });
  await acme.kubectl('create -f -', { stdin: asManifest(virtualSamples('isolation')) });
  await acme.kubectl('create clusterrole isolation --verb=get --resource=pods');
  await acme.kubectl('create clusterrolebinding isolation --clusterrole=isolation --user=jane');
  await acme.kubectl(`wait -n ${NAMESPACE} pod/sample --for=condition=Ready --timeout=120s`);
});

/** An example in descriptions of Kubernetes' own that happens to use the name. */
const DOCS = ['acme.io/'];

function get(
  path: string,
  accept: string,
  query = '',
  headers: Record<string, string> = {},
  typed: readonly string[] = [],
): Promise<RawAnswer> {
  return acme.send(query === '' ? path : `${path}?${query}`, { headers: { accept, ...headers }, typed });
}

describe('discovery', () => {
  it('tells of enough kinds to prove something', () => {
    expect(readable.length).toBeGreaterThan(40);
    expect(writable.length).toBeGreaterThan(30);
  });

  it.each([
    ['/api', JSON_TYPE],
    ['/apis', JSON_TYPE],
    ['/api', `${JSON_TYPE};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`],
    ['/apis', `${JSON_TYPE};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`],
    ['/version', JSON_TYPE],
    ['/', JSON_TYPE],
    ['/openapi/v2', JSON_TYPE],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'],
    ['/openapi/v3', JSON_TYPE],
  ])('%s as %s', async (path, accept) => {
    expect((await get(path, accept, '', {}, DOCS)).status).toBe(200);
  });

  it('of every group and version', async () => {
    for (const { group, version } of kinds) {
      if (group === '') continue;
      expect((await get(`/apis/${group}`, JSON_TYPE)).status).toBe(200);
      expect((await get(`/apis/${group}/${version}`, JSON_TYPE)).status).toBe(200);
    }
  });

  it('and OpenAPI v3 of every group and version', async () => {
    const { paths } = await acme.json('/openapi/v3');
    const urls = Object.values(paths as Record<string, { serverRelativeURL: string }>);
    expect(urls.length).toBeGreaterThan(10);
    for (const { serverRelativeURL } of urls)
      expect((await get(serverRelativeURL, JSON_TYPE, '', {}, DOCS)).status).toBe(200);
  });

  it('does not serve groups of globex, by either name', async () => {
    for (const group of [
      `${CANARY}.example.com`,
      `globex--${CANARY}.example.com`,
      'virtual.kubeveil.dev',
      'kubeveil.dev',
    ]) {
      for (const path of [
        `/apis/${group}`,
        `/apis/${group}/v1`,
        `/openapi/v3/apis/${group}/v1`,
        `/apis/${group}/v1/widgets`,
      ]) {
        expect((await acme.send(path, { typed: [group] })).status).toBe(404);
      }
    }
    expect((await globex.send(`/apis/${CANARY}.example.com/v1/widgets`)).status).toBe(200);
  });
});

describe('reads of', () => {
  it.each(named(readable))('$name', async ({ kind }) => {
    const scopes = kind.namespaced ? [kind.collection(), kind.collection(NAMESPACE)] : [kind.collection()];
    for (const path of scopes) {
      for (const form of FORMS) {
        const answer = await get(
          path,
          form.accept,
          'query' in form ? form.query : '',
          'headers' in form ? form.headers : {},
        );
        expect({ path, form: form.form, status: answer.status }).toEqual({ path, form: form.form, status: 200 });
      }
    }
    const { items } = jsonOf<KubeObject>(await get(kind.collection(kind.namespaced ? NAMESPACE : ''), JSON_TYPE));
    const one = items[0]?.metadata.name;
    if (one === undefined) return;
    const path = `${kind.collection(kind.namespaced ? NAMESPACE : '')}/${one}`;
    for (const form of FORMS) {
      const accept = form.accept.replace('MetadataList', 'Metadata');
      expect((await get(path, accept, 'query' in form ? form.query : '')).status).toBe(200);
    }
  });

  it.each(named(readable))('$name that do not exist or are not its own', async ({ kind }) => {
    for (const name of ['no-such-thing', ...GUESSES]) {
      const options = { typed: [name] };
      const own = await acme.send(`${kind.collection(kind.namespaced ? NAMESPACE : '')}/${name}`, options);
      expect({ name, status: own.status, reason: jsonOf<KubeObject>(own).reason }).toEqual({
        name,
        status: 404,
        reason: 'NotFound',
      });
      if (!kind.namespaced) continue;
      const list = await acme.json(kind.collection(name), options);
      expect(list.items).toEqual([]);
      const other = await acme.send(`${kind.collection(name)}/${CANARY}-sample`, { typed: [name, CANARY] });
      expect(other.status).toBe(404);
    }
  });

  it.each([
    `fieldSelector=metadata.namespace%3Dglobex--web`,
    `fieldSelector=metadata.namespace%3Dacme--web`,
    `fieldSelector=metadata.namespace%21%3Dacme--web`,
    `fieldSelector=metadata.namespace%21%3Dweb`,
    `fieldSelector=metadata.name%3D${CANARY}-sample`,
    `labelSelector=seed%3D${CANARY}`,
    `labelSelector=seed`,
    `labelSelector=kubeveil.dev%2Ftenant%3Dglobex`,
    `labelSelector=%21kubeveil.dev%2Ftenant`,
    `labelSelector=kubeveil.dev%2Ftenant+in+%28globex%2Cacme%29`,
    'limit=1',
    'resourceVersion=0',
    'resourceVersion=0&limit=500',
  ])('everything with %s', async (query) => {
    const typed = [CANARY, 'globex--web', 'acme--web', 'kubeveil.dev/tenant', 'globex'];
    for (const kind of readable) {
      const answer = await acme.send(`${kind.collection()}?${query}`, { typed: query.includes('limit') ? [] : typed });
      expect([200, 400, 422]).toContain(answer.status);
      if (answer.status === 200 && !/limit|resourceVersion|%21/.test(query)) {
        expect(jsonOf<KubeObject>(answer).items ?? []).toEqual([]);
      }
    }
  });
});

describe('watches', () => {
  it('of every kind in every form, while globex changes everything that it has', async () => {
    const forms = FORMS.filter(({ form }) => !['YAML', 'gzip'].includes(form));
    const followed = readable.filter(({ verbs }) => verbs.includes('watch'));
    const watching = followed.flatMap((kind) =>
      forms.map(async ({ form, accept, ...more }) => {
        const query = `watch=true&timeoutSeconds=6&allowWatchBookmarks=true${'query' in more ? `&${more.query}` : ''}`;
        const ask = () => get(kind.collection(), accept.replace('MetadataList', 'Metadata'), query);
        let answer = await ask();
        // So many at once are more than the host begins at once: asked again, as clients do.
        while (answer.status === 429) {
          await sleep(500);
          answer = await ask();
        }
        return { kind: label(kind), form, status: answer.status, bytes: answer.body.length };
      }),
    );
    const stdin = asManifest(samples(NAMESPACE, `${CANARY}-sample`));
    await globex.kubectl(`label -n ${NAMESPACE} -f - --overwrite turn=${Date.now()}`, { stdin });
    const answers = await Promise.all(watching);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    // Something did come: acme's own objects.
    const pods = answers.filter(({ kind }) => kind === '/v1/pods');
    expect(pods.filter(({ bytes }) => bytes < 100)).toEqual([]);
    expect(pods).toHaveLength(forms.length);
  });
});

describe('refusals of', () => {
  beforeAll(() => host.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } }));

  /** Each is answered as the host answers its administrator, in its status and reason. */
  it.each(named(writable))('$name', async ({ kind }) => {
    const collection = kind.collection(kind.namespaced ? NAMESPACE : '');
    const { group, version } = kind;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    // Without a role a binding is refused before it is looked at.
    const roleRef =
      kind.kind === 'RoleBinding' ? { roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: group } } : {};
    const object = (metadata: object) => ({ apiVersion, kind: kind.kind, metadata, ...roleRef });
    const attempts: [string, string, unknown, string?][] = [
      ['POST', collection, object({})],
      ['POST', collection, object({ name: 'Not/A/Name' })],
      ['POST', collection, { ...object({ name: 'a' }), metadata: 'wrong' }],
      ['POST', collection, object({ name: 'x'.repeat(300), labels: { 'not a label': '' } })],
      ['POST', collection, { ...object({ name: 'a' }), kind: 'Other' }],
      ['PUT', `${collection}/no-such-thing`, object({ name: 'another-name' })],
      ['DELETE', `${collection}/no-such-thing`, {}],
      ['PATCH', `${collection}/no-such-thing`, [], 'application/json-patch+json'],
      ['PATCH', `${collection}/no-such-thing`, {}, 'application/merge-patch+json'],
      ['PATCH', `${collection}/no-such-thing`, {}, 'application/strategic-merge-patch+json'],
      ['PATCH', `${collection}/no-such-thing`, {}, 'text/plain'],
    ];
    if (kind.namespaced) {
      attempts.push(['POST', collection, object({ name: 'a', namespace: 'another' })]);
      attempts.push(['POST', kind.collection('no-such-namespace'), object({ name: 'a' })]);
    }
    for (const [method, path, body, type = JSON_TYPE] of attempts) {
      const direct = await host.send(method, path, body, type);
      const expected = { status: direct.status, reason: (direct.body as KubeObject).reason };
      // A LimitRange is given a name of chance when it has none; nothing else here is taken.
      if (direct.status === 201 && kind.resource === 'limitranges') continue;
      expect(direct.status, `the host takes ${method} ${path}`).toBeGreaterThanOrEqual(400);
      const { status, object: answer } = await acme.write(method, path, body, { headers: { 'content-type': type } });
      const found = { status, reason: answer.reason };
      expect({ method, path, body, type, ...found }).toEqual({ method, path, body, type, ...expected });
    }
  });

  it.each(named(writable))('$name with a mark of the proxy', async ({ kind }) => {
    const collection = kind.collection(kind.namespaced ? NAMESPACE : '');
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    for (const field of ['labels', 'annotations']) {
      const metadata = { name: 'marked', [field]: { 'kubeveil.dev/tenant': 'x' } };
      const body = { apiVersion, kind: kind.kind, metadata };
      const { status, object } = await acme.write('POST', collection, body, { typed: ['kubeveil.dev/'] });
      expect({ status: [400, 403, 422].includes(status), kind: object.kind }).toEqual({ status: true, kind: 'Status' });
    }
  });
});

describe('continue tokens', () => {
  const path = '/api/v1/configmaps?limit=1';

  async function token(tenant: typeof acme, of = path): Promise<string> {
    const { metadata } = await tenant.json(of);
    expect(metadata.continue).toEqual(expect.stringMatching(/^\S{20,}$/));
    return encodeURIComponent(metadata.continue);
  }

  it('say nothing, and lead to the next page', async () => {
    const first = await acme.json(path);
    const second = await acme.json(`${path}&continue=${encodeURIComponent(first.metadata.continue)}`);
    const key = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
    expect(key(second.items[0]) > key(first.items[0])).toBe(true);
    expect(first.metadata.continue).not.toContain(Buffer.from('web').toString('base64').slice(0, 4));
  });

  it.each(['/api/v1/configmaps', `/api/v1/namespaces/${NAMESPACE}/configmaps`])(
    'of globex for %s are refused',
    async (of) => {
      const foreign = await token(globex, `${of}?limit=1`);
      expect((await acme.send(`${of}?limit=1&continue=${foreign}`)).status).toBe(400);
      const own = await token(acme, `${of}?limit=1`);
      expect((await acme.send(`${of}?limit=1&continue=${own}`)).status).toBe(200);
    },
  );

  it('for another collection, altered, or made up are refused', async () => {
    const own = await token(acme);
    const plain = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'globex--web/a' })).toString(
      'base64url',
    );
    for (const bad of [`${own.slice(0, -4)}AAAA`, plain, 'x']) {
      expect((await acme.send(`${path}&continue=${bad}`)).status).toBe(400);
    }
    expect((await acme.send(`/api/v1/secrets?limit=1&continue=${own}`)).status).toBe(400);
    expect((await acme.send(`/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1&continue=${own}`)).status).toBe(400);
  });

  it('count nothing of others: pages are full of what is acme\u2019s', async () => {
    const { items } = await acme.json('/api/v1/configmaps');
    let pages = 0;
    let next = '';
    do {
      const page = await acme.json(`${path}${next}`);
      expect(page.items).toHaveLength(1);
      pages += 1;
      next = page.metadata.continue ? `&continue=${encodeURIComponent(page.metadata.continue)}` : '';
    } while (next !== '');
    expect(pages).toBe(items.length);
  });
});
