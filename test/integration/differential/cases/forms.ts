/** The form of the answer and of the question: media types, methods, paths, and bytes that are none of these. */
import {
  APPLY,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  GADGETS,
  GIZMOS,
  JSON_PATCH,
  type Kind,
  MERGE,
  NAMESPACES,
  STRATEGIC,
  send,
} from '../fixtures.ts';
import { type Ask, one, type Scenario } from '../scenario.ts';

const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  '*/*',
  'application/xml',
  'text/html',
  'APPLICATION/JSON',
  'application/cbor',
  'application/cbor-seq',
  ',,,',
  'junk',
  'application/yaml;q=0.5,application/json;q=0.5',
  'application/json;q=0.2,application/yaml;q=0.5',
  'application/json;q=0',
  'application/json;q=nonsense',
  'application/json;stream=foo',
  'application/yaml;stream=watch',
  'application/json;as=Foo;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Table;v=v3;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=other.io',
  'application/json;as="Table";v=v1;g=meta.k8s.io',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io',
];
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export function negotiations(): Scenario[] {
  const paths = [CONFIG_MAPS, CLUSTER_ROLES, GADGETS, GIZMOS].flatMap(({ collection }) => [
    `${collection}/seed-a`,
    `${collection}?labelSelector=differ=@side@`,
  ]);
  paths.push(`${CONFIG_MAPS.collection}/missing-one`, `${CLUSTER_ROLES.collection}/missing-one`);
  paths.push(
    `${NAMESPACES.collection}/differ`,
    `${NAMESPACES.collection}/missing-one`,
    `${CONFIG_MAPS.across}?labelSelector=differ=@side@`,
  );
  return [
    ...paths.flatMap((path) => ACCEPTS.map((accept) => one({ path, headers: { accept } }))),
    ...ACCEPTS.map((accept) =>
      one({
        path: `${CONFIG_MAPS.collection}?watch=1&timeoutSeconds=1&labelSelector=differ=@side@`,
        headers: { accept },
      }),
    ),
    ...['None', 'Metadata', 'Object', '', 'nonsense'].flatMap((included) =>
      [CONFIG_MAPS, CLUSTER_ROLES, GADGETS].map(({ collection }) =>
        one({
          path: `${collection}?labelSelector=differ=@side@&includeObject=${included}`,
          headers: { accept: TABLE },
        }),
      ),
    ),
    ...['/healthz', '/livez', '/readyz'].flatMap((path) =>
      ['?verbose', '?verbose=0', '?exclude=ping', '?exclude=none', '?verbose&exclude=ping&exclude=b&exclude=a', '/ping']
        .concat('/', '/none', '/ping/', '/ping?verbose')
        .map((rest) => one(`${path}${rest}`)),
    ),
    ...['/apis/apps', '/healthz', '/livez', '/readyz', '/readyz/ping'].flatMap((path) =>
      ['application/json', 'application/yaml', 'application/xml', 'application/vnd.kubernetes.protobuf'].map((accept) =>
        one({ path, headers: { accept } }),
      ),
    ),
    one({ path: `${CONFIG_MAPS.collection}/seed-a`, headers: { 'accept-encoding': 'gzip' } }),
  ];
}

/** Whatever a method is called, on whatever there is a path for. */
export function methods(): Scenario[] {
  const paths = [CONFIG_MAPS, CLUSTER_ROLES].flatMap(({ collection, watchPath }) => [
    collection,
    `${collection}/`,
    `${collection}/seed-a`,
    `${collection}/seed-a/`,
    `${collection}/seed-a/nothing`,
    `${collection}/seed-a/a/b`,
    watchPath,
  ]);
  paths.push(
    '/api',
    '/api/',
    '/apis',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/apis/apps/v9',
    '/apis/none.example.com',
    '/apis/none.example.com/v1',
    '/version',
    '/version/',
    '/healthz',
    '/livez',
    '/readyz',
    '/healthz/ping',
    '/nothing',
    '/api/v1/namespaces/differ/nothings',
    '/api/v1/namespaces/differ/nodes',
    '/api/v1/namespaces/differ/pods/x/log/y',
    '/api/v1/configmaps/seed-a',
    '/api/v1/configmaps',
    '/api/v1/namespaces',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    '/apis/authentication.k8s.io/v1/tokenreviews/x',
    '/api/v1/namespaces/differ/pods/x/status',
    '/api/v1/namespaces/differ/pods/x/eviction',
    '/api/v1/namespaces/differ/serviceaccounts/default/token',
  );
  return paths.flatMap((path) =>
    ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW']
      .filter((method) => isHarmless(method, path))
      .map((method) =>
        one({
          method,
          path:
            method === 'GET' && path.includes('/watch/')
              ? `${path}?timeoutSeconds=1&labelSelector=differ=@side@`
              : path,
        }),
      ),
  );
}

/** What would take away what others look at, or list what is not alike. */
function isHarmless(method: string, path: string): boolean {
  if (method === 'DELETE')
    return !/(?:configmaps|clusterroles)(?:\/|\/seed-a\/?)?$/.test(path) || path === '/api/v1/configmaps';
  return (
    method !== 'GET' ||
    !/(?:configmaps|clusterroles|namespaces)\/?$|^\/(?:api|apis)\/?$|^\/version/.test(path) ||
    path.includes('/watch/')
  );
}

export function bodies(): Scenario[] {
  return [CONFIG_MAPS, CLUSTER_ROLES, GADGETS, NAMESPACES].flatMap((kind) => malformed(kind).map(one));
}

function malformed(kind: Kind): Ask[] {
  const { collection, object } = kind;
  const dry = `${collection}?dryRun=All`;
  const text = JSON.stringify(object('formed'));
  const yaml = `apiVersion: ${object('x')['apiVersion']}\nkind: ${object('x')['kind']}\nmetadata: {name: formed}\n`;
  const asJson = (body: string | Uint8Array): Ask => send('POST', dry, 'application/json', body);
  const deep = '['.repeat(11_000) + ']'.repeat(11_000);
  return [
    ...[
      'application/json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'text/plain',
      'application/cbor',
      'junk',
      'application/json, text/plain',
      MERGE,
      APPLY,
      '*/*',
    ]
      .filter((type) => kind !== GADGETS || !type.includes('protobuf'))
      .map((type) => send('POST', dry, type, text)),
    ...[
      MERGE,
      STRATEGIC,
      JSON_PATCH,
      APPLY,
      'application/json',
      'application/yaml',
      'application/apply-patch+cbor',
      'junk',
    ].map((type) =>
      send('PATCH', `${collection}/missing-one?fieldManager=x&dryRun=All`, type, type === JSON_PATCH ? '[]' : text),
    ),
    { method: 'PATCH', path: `${collection}/seed-a`, body: '{}', headers: { 'content-type': '' } },
    send('POST', dry, 'application/yaml', yaml),
    send('POST', dry, 'application/yaml', 'a: ['),
    send('POST', dry, 'application/yaml', '- a\n- b'),
    send('POST', dry, 'application/yaml', `${yaml}---\n${yaml}`),
    send('POST', dry, 'application/yaml', `${yaml}data: &a {x: "1"}\nspec: *a\n`),
    asJson('{'),
    asJson('{"a":}'),
    asJson(`${text}x`),
    asJson(`${text}${text}`),
    asJson(`\ufeff${text}`),
    asJson(Buffer.from([0x7b, 0x22, 0x61, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    asJson(text.replace('{', '{"unknown":5,')),
    asJson(text.replace('{', `{"deep":${deep},`)),
    asJson(text.replace('{', '{"__proto__":{"x":1},"constructor":5,')),
    asJson(text.replace('"metadata":{', '"metadata":{"labels":{"a":"b","a":"c"},')),
    {
      ...asJson(text.replace('"metadata":{', '"metadata":{"labels":{"a":"b","a":"c"},')),
      path: `${dry}&fieldValidation=Strict`,
    },
    {
      ...asJson(text.replace('"metadata":{', '"metadata":{"labels":{"a":"b","a":"c"},')),
      path: `${dry}&fieldValidation=Ignore`,
    },
    { ...asJson(text.replace('{', '{"unknown":5,')), path: `${dry}&fieldValidation=Strict` },
    { ...asJson(text.replace('{', '{"unknown":5,')), path: `${dry}&fieldValidation=Warn` },
    { ...asJson(text.replace('{', '{"unknown":5,')), path: `${dry}&fieldValidation=Ignore` },
    asJson(text.replace('"formed"', '"\\ud800"')),
    asJson(' '.repeat(3 * 1024 * 1024 + 1)),
    ...(kind === GADGETS ? [] : ['k8s\0\x0a\xff\xff\xff\xff\x7f', 'k8s\0', 'garbage']).map((bytes) =>
      send('POST', dry, 'application/vnd.kubernetes.protobuf', Buffer.from(bytes, 'latin1')),
    ),
    send('DELETE', `${collection}/missing-one`, 'application/json', '{'),
    send('DELETE', `${collection}/missing-one`, 'application/yaml', 'propagationPolicy: Foreground'),
    send('DELETE', `${collection}/missing-one`, 'text/plain', '{}'),
    send('DELETE', `${collection}/missing-one`, 'application/json', '[]'),
    send('DELETE', `${collection}/missing-one`, 'application/json', 'null'),
  ];
}
