/**
 * The same request to kube-apiserver, as its administrator, and to the product, as a tenant's: the same status, reason,
 * message and media type. What cannot be the same on purpose stands in tests of its own.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Asked, direct, errorOf, seen, throughProduct } from '../../support/plain-and-product.ts';

const NAMESPACE = 'default';
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const NAME = 'differential';

async function same(asked: Asked): Promise<void> {
  const [theirs, ours] = await Promise.all([direct(asked), throughProduct(asked)]);
  expect(seen(ours)).toEqual(seen(theirs));
}

beforeAll(async () => {
  const body = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: NAME }, data: { a: 'b' } });
  for (const send of [direct, throughProduct]) {
    const { status } = await send({ method: 'POST', path: CONFIG_MAPS, body });
    expect([201, 409]).toContain(status);
  }
});

describe('representations', () => {
  const accepts = [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    '*/*',
    'application/xml',
    'text/html',
    'APPLICATION/JSON',
    'application/cbor',
    ',,,',
    'application/yaml;q=0.5,application/json;q=0.5',
    'application/json;q=0.2,application/yaml;q=0.5',
    'application/json;q=0',
    'application/json;stream=foo',
    'application/yaml;stream=watch',
    'application/json;as=Foo;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
    'application/json;as=Table;v=v3;g=meta.k8s.io',
    'application/json;as="Table";v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  ];
  for (const path of [`${CONFIG_MAPS}/${NAME}`, CONFIG_MAPS, '/api/v1/configmaps', `${CONFIG_MAPS}/missing`]) {
    it.each(accepts)(`${path} as %s`, (accept) => same({ path, headers: { accept } }));
  }
  it.each(accepts)('a watch as %s', (accept) =>
    same({ path: `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`, headers: { accept } }),
  );
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
  const body = JSON.stringify({ ...review, spec: { nonResourceAttributes: { path: '/', verb: 'get' } } });
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  it.each(accepts)('a review as %s', (accept) => same({ method: 'POST', path, body, headers: { accept } }));
  // Two of the five come from the server's aggregator, which refuses in other words than its router.
  it.each(['/api', '/api/v1', '/apis/apps/v1'])('%s as application/xml', (path) => {
    return same({ path, headers: { accept: 'application/xml' } });
  });
  for (const path of ['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1']) {
    it.each([
      'application/json',
      'application/yaml',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    ])(`${path} as %s`, (accept) => same({ path, headers: { accept } }));
  }
  it.each(['1', 'true', 'no'])('pretty=%s', async (pretty) => {
    const path = `${CONFIG_MAPS}/${NAME}?pretty=${pretty}`;
    const [theirs, ours] = await Promise.all([direct({ path }), throughProduct({ path })]);
    expect(ours.text.split('\n').length > 2).toBe(theirs.text.split('\n').length > 2);
  });
});

describe('paths and methods', () => {
  const requests: [method: string, path: string][] = [
    ['GET', `${CONFIG_MAPS}/`],
    ['GET', `${CONFIG_MAPS}/${NAME}/`],
    ['GET', `${CONFIG_MAPS}/${NAME}/nothing`],
    ['GET', `${CONFIG_MAPS}/${NAME}/a/b`],
    ['GET', `/api/v1/namespaces/${NAMESPACE}/nothings`],
    ['GET', `/api/v1/namespaces/${NAMESPACE}/nodes`],
    ['GET', `/api/v1/namespaces/${NAMESPACE}/pods/x/log/y`],
    ['GET', `/api/v1/configmaps/${NAME}`],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/configmaps'],
    ['POST', `${CONFIG_MAPS}/${NAME}`],
    ['PUT', CONFIG_MAPS],
    ['PATCH', CONFIG_MAPS],
    ['OPTIONS', CONFIG_MAPS],
    ['TRACE', CONFIG_MAPS],
    ['DELETE', '/api/v1/namespaces'],
    ['POST', '/api/v1/watch/configmaps'],
    ['GET', '/apis/authentication.k8s.io/v1/tokenreviews'],
    ['DELETE', '/apis/authentication.k8s.io/v1/tokenreviews/x'],
    ['DELETE', `/api/v1/namespaces/${NAMESPACE}/pods/x/status`],
    ['POST', `/api/v1/namespaces/${NAMESPACE}/pods/x/status`],
    ['GET', `/api/v1/namespaces/${NAMESPACE}/pods/x/eviction`],
    ['GET', '/apis/apps/v1/'],
    ['GET', '/apis/apps/v9'],
  ];
  it.each(requests)('%s %s', (method, path) => same({ method, path }));

  it.each([
    `${CONFIG_MAPS}?limit=abc`,
    `${CONFIG_MAPS}?fieldSelector=a`,
    `${CONFIG_MAPS}?labelSelector=a%20b%20c`,
    `${CONFIG_MAPS}?watch=maybe&timeoutSeconds=1`,
    `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=${NAME}`,
    `/api/v1/watch/namespaces/${NAMESPACE}/configmaps?timeoutSeconds=1`,
    `/api/v1/watch/namespaces/${NAMESPACE}/configmaps/${NAME}?timeoutSeconds=1`,
    `${CONFIG_MAPS}/${NAME}?watch=1`,
  ])('GET %s', (path) => same({ path }));
});

describe('bodies', () => {
  const types: [method: string, path: string, type: string | undefined, body: string][] = [
    ['POST', CONFIG_MAPS, 'text/plain', '{}'],
    ['POST', CONFIG_MAPS, 'application/cbor', '{}'],
    ['POST', CONFIG_MAPS, 'application/merge-patch+json', '{}'],
    ['PUT', `${CONFIG_MAPS}/${NAME}`, 'text/plain', '{}'],
    ['PATCH', `${CONFIG_MAPS}/${NAME}`, 'application/json', '{}'],
    ['PATCH', `${CONFIG_MAPS}/${NAME}`, 'application/yaml', '{}'],
    ['DELETE', `${CONFIG_MAPS}/missing`, 'text/plain', '{}'],
    ['DELETE', `${CONFIG_MAPS}/missing`, 'application/json', '{}'],
    ['DELETE', `${CONFIG_MAPS}/missing`, 'application/yaml', 'propagationPolicy: Foreground'],
    ['POST', CONFIG_MAPS, 'application/json; charset=utf-16', `{"metadata":{"name":"${NAME}"}}`],
    ['POST', CONFIG_MAPS, 'application/yaml', `metadata: {name: ${NAME}}`],
  ];
  it.each(types)('%s %s of type %s', (method, path, type, body) => {
    return same({ method, path, body, headers: type === undefined ? {} : { 'content-type': type } });
  });

  it('too large', () => same({ method: 'POST', path: CONFIG_MAPS, body: ' '.repeat(3 * 1024 * 1024 + 1) }));

  it.each([
    ['POST', CONFIG_MAPS, 'application/json', '{'],
    ['POST', CONFIG_MAPS, 'application/json', '[]'],
    ['POST', CONFIG_MAPS, 'application/yaml', 'a: ['],
    ['POST', CONFIG_MAPS, 'application/vnd.kubernetes.protobuf', 'garbage'],
    ['PATCH', `${CONFIG_MAPS}/${NAME}`, 'application/merge-patch+json', '{'],
    ['PATCH', `${CONFIG_MAPS}/${NAME}`, 'application/merge-patch+json', '[1]'],
    ['PATCH', `${CONFIG_MAPS}/${NAME}`, 'application/json-patch+json', '{}'],
    ['DELETE', `${CONFIG_MAPS}/${NAME}`, 'application/json', '{'],
  ])('%s %s: %s %s begins with the same words', async (method, path, type, body) => {
    const asked = { method, path, body, headers: { 'content-type': type } };
    const [theirs, ours] = (await Promise.all([direct(asked), throughProduct(asked)])).map((answer) => ({
      status: answer.status,
      words: String((errorOf(answer.text) as Record<string, unknown>)['message']).slice(0, 20),
    }));
    expect(ours).toEqual(theirs);
  });
});
